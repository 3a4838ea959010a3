internal import PINEntry

/// The sessions that this node has made and that still answer, as far as it knows: a limit on them keeps one node from
/// filling the Redis of all.
final class CreatedSessions: Sendable {
  private let maximum: Int
  private let state = Locked(State())

  private struct State {
    /// Until when each answers, by Redis's clock.
    var ends: [SessionID: Instant] = [:]
    /// When all were looked through last.
    var swept = Instant(milliseconds: 0)
  }

  init(maximum: Int) { self.maximum = maximum }

  /// Takes up a new one; false if there are as many as there may be.
  func add(_ id: SessionID, until end: Instant, at now: Instant) -> Bool {
    state.withLock { state in
      // Looking through all of them is worth it when there is no room, and now and then, but not each time.
      let isFull = state.ends.count >= maximum
      if isFull || now >= state.swept.adding(seconds: 60) {
        if !isFull || maximum < 1000 || now >= state.swept.adding(seconds: 1) {
          state.ends = state.ends.filter { $0.value > now }
          state.swept = now
        }
      }
      guard state.ends.count < maximum else { return false }
      state.ends[id] = end
      return true
    }
  }

  func remove(_ id: SessionID) { state.withLock { $0.ends[id] = nil } }

  /// One has another end than before; of those that other nodes made nothing is kept.
  func change(_ id: SessionID, until end: Instant) {
    state.withLock { state in
      if state.ends[id] != nil { state.ends[id] = end }
    }
  }
}
