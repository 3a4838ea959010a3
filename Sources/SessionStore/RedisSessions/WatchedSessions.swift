internal import PINEntry

/// The sessions that somebody watches on this node, and which of them have to be looked at.
final class WatchedSessions: Sendable {
  /// Rung when there is something to do earlier than was said.
  let bell = WakeUp()
  private let state = Locked(State())

  private struct State {
    var sessions: [SessionID: RedisSession] = [:]
    /// Those that are known or believed to have news.
    var dirty: Set<SessionID> = []
    var subscriber: RedisSubscriber?
    /// When the first timer is due, at the earliest.
    var due = Instant.never
    /// Those whose timers could not be run: with these deadlines they are not due again before then.
    var putOff: [SessionID: (deadline: Instant, until: Instant)] = [:]
  }

  /// Who hears of news; nil at the end, as it knows these sessions.
  func connect(_ subscriber: RedisSubscriber?) {
    // What was there before is let go of without the lock.
    var subscriber = subscriber
    state.withLock { swap(&$0.subscriber, &subscriber) }
  }

  func add(_ session: RedisSession) {
    let deadline = session.deadline
    state.withLock { state in
      state.sessions[session.id] = session
      state.due = min(state.due, deadline)
      state.subscriber?.subscribe(session.keys.channel)
    }
    bell.ring()
  }

  /// - Parameter isWatched: asked again under the lock, as another reader may have come meanwhile.
  func remove(_ session: RedisSession, unless isWatched: () -> Bool) {
    state.withLock { state in
      // There may be another object of the same session by now, when this one had been found gone.
      guard !isWatched(), state.sessions[session.id] === session else { return }
      state.sessions[session.id] = nil
      state.dirty.remove(session.id)
      state.putOff[session.id] = nil
      state.subscriber?.unsubscribe(session.keys.channel)
    }
  }

  /// Something may have happened to a session; of those that nobody watches nothing is noted.
  func mark(_ id: SessionID) {
    let isNew = state.withLock { state in state.sessions[id] != nil && state.dirty.insert(id).inserted }
    if isNew { bell.ring() }
  }

  /// A session was woken by this writing of it.
  func wake(_ id: SessionID, by stamp: UInt64) {
    guard let session = state.withLock({ $0.sessions[id] }), !session.has(stamp) else { return }
    mark(id)
  }

  /// A timer is due then.
  func note(_ deadline: Instant) {
    guard deadline != .never else { return }
    let isEarlier = state.withLock { state in
      guard deadline < state.due else { return false }
      state.due = deadline
      return true
    }
    if isEarlier { bell.ring() }
  }

  var due: Instant { state.withLock { $0.due } }

  func takeDirty() -> [RedisSession] {
    state.withLock { state in
      defer { state.dirty.removeAll(keepingCapacity: true) }
      return state.dirty.compactMap { state.sessions[$0] }
    }
  }

  var all: [RedisSession] { state.withLock { Array($0.sessions.values) } }

  /// Takes those whose timers are due, and finds out when the next one is: at once if there are more than `most`.
  func takeDue(at now: Instant, most: Int) -> [RedisSession] {
    state.withLock { state in
      guard state.due <= now else { return [] }
      state.due = .never
      var taken: [RedisSession] = []
      for (id, session) in state.sessions {
        var deadline = session.deadline
        if let putOff = state.putOff[id] {
          if putOff.deadline == deadline && putOff.until > now {
            deadline = putOff.until
          } else {
            state.putOff[id] = nil
          }
        }
        if deadline <= now && taken.count < most {
          taken.append(session)
        } else {
          state.due = min(state.due, deadline)
        }
      }
      return taken
    }
  }

  /// The timers of a session could not be run: they are due again then, or when it has others.
  func putOff(_ session: RedisSession, until time: Instant) {
    let deadline = session.deadline
    state.withLock { state in
      guard state.sessions[session.id] === session else { return }
      state.putOff[session.id] = (deadline, time)
      state.due = min(state.due, time)
    }
  }
}
