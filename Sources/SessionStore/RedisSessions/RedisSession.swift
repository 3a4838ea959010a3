package import PINEntry

/// A session in Redis, of which this process has a copy. Its id and nonce never change; everything else is reached
/// through `access`.
///
/// An edit is made on a copy of the copy and committed if Redis still has what it was made on; else it is made again on
/// what Redis has. So a copy may be old, and an answer never is.
public final class RedisSession: Sendable {
  package let id: SessionID
  package let nonce: SessionID
  package let tokens: TokenHashes
  /// When it was created, in seconds since 1970.
  package let createdOn: UInt32
  let keys: RedisKeys
  private let common: RedisCommon
  /// One edit of this process at a time, so that they don't compete with each other; taken before the state's lock.
  /// Of a byte and not of nothing: what has no size shares its place with the mutex, which looks like a race.
  private let turn = Locked(UInt8(0))
  private let state: Locked<State>

  private struct State: ~Copyable {
    var copy: SessionCopy
    var watchers: [any SessionWatcher] = []
    /// When it was used last, by the machine's clock in ms.
    var usedAt: Int64
  }

  /// How often an edit is made anew because other nodes were first. Of those that compete one always gets through.
  private static let tries = 100

  init(_ copy: consuming SessionCopy, _ kept: KeptSession, in common: RedisCommon) {
    id = kept.id
    nonce = kept.nonce
    createdOn = kept.createdOn
    tokens = common.ring.tokens.hashes(kept.id, kept.nonce)
    keys = RedisKeys(kept.id)
    self.common = common
    state = Locked(State(copy: copy, usedAt: common.clock.machineTime))
  }

  /// Runs `body` with the newest state of the session, after the timers that are due, commits what it has changed, and
  /// then wakes whoever watches if there were events. `body` is run again if another node was first.
  public func access<R: ~Copyable, E: Error>(
    _ body: (inout SessionAccess) throws(E) -> R
  ) throws(E) -> Accessed<R> {
    var woken: [any SessionWatcher] = []
    defer { for watcher in woken { watcher.wake() } }
    return try turn.withLock { _ throws(E) -> Accessed<R> in
      for _ in 0..<Self.tries {
        guard let begun = begin() else { return .unavailable }
        guard case .edit(var edit) = consume begun else { return .gone }
        guard let base = edit.base, let record = edit.content.record else { return .gone }
        let now = common.clock.now()
        let ran = edit.run(record, at: now, body)
        let answer = edit.commit(base, at: now, keys, in: common)
        switch finish(answer, edit, base, &woken) {
        case .done:
          switch consume ran {
          case .success(.some(let result)): return .done(result)
          case .success(.none): return .gone
          case .failure(let error): throw error
          }
        case .again: continue
        case .gone: return .gone
        case .unavailable: return .unavailable
        }
      }
      return .unavailable
    }
  }

  private enum Begin: ~Copyable {
    case edit(SessionCopy)
    case gone
  }

  /// A copy to be edited; nil: there is no memory for one.
  private func begin() -> Begin? {
    state.withLock { state in
      state.usedAt = common.clock.machineTime
      do throws(StoreError) {
        guard let copy = try state.copy.copy() else { return .gone }
        return .edit(copy)
      } catch {
        return nil
      }
    }
  }

  private enum Finish {
    case done, again, gone, unavailable
  }

  private func finish(
    _ answer: RedisAnswer?, _ edit: consuming SessionCopy, _ base: SessionCopy.Base, _ woken: inout [any SessionWatcher]
  ) -> Finish {
    switch answer {
    case .made, .same:
      take(edit, instead: base, &woken)
      return .done
    case .other, .gone, nil:
      return learn(answer, base, &woken)
    case .late:
      return .again
    }
  }

  /// Takes a committed edit for the copy, unless somebody else has learnt of a newer one meanwhile.
  private func take(_ edit: consuming SessionCopy, instead base: SessionCopy.Base, _ woken: inout [any SessionWatcher])
  {
    let isNews = edit.base?.eventID != base.eventID
    if isNews, let end = edit.content.record?.pointee.lastMoment { common.created.change(id, until: end) }
    var edit = edit
    let (isWatched, deadline) = state.withLock { state in
      guard state.copy.stamp == base.stamp, state.copy.content.record != nil else {
        return (!state.watchers.isEmpty, Instant(milliseconds: 0))
      }
      if isNews { woken = state.watchers }
      swap(&state.copy, &edit)
      return (!state.watchers.isEmpty, state.copy.content.record?.pointee.deadline ?? .never)
    }
    if isWatched { common.watched.note(deadline) }
  }

  /// Makes what Redis has the copy, if it's another. What was asked for was `base`.
  private func learn(
    _ answer: RedisAnswer?, _ base: SessionCopy.Base, _ woken: inout [any SessionWatcher]
  ) -> Finish {
    switch answer {
    case .made, .same, .late: return .done
    case nil: return .unavailable
    case .gone:
      state.withLock { state in
        state.copy.drop()
        woken = state.watchers
      }
      return .gone
    case .other(let loaded):
      common.counts.conflicted()
      return learn(loaded, base, &woken)
    }
  }

  private func learn(
    _ loaded: LoadedSession, _ base: SessionCopy.Base, _ woken: inout [any SessionWatcher]
  ) -> Finish {
    do throws(LoadingError) {
      try replace(base, &woken) { old, _ throws(LoadingError) in
        try old.next(loaded, at: common.clock.now(), in: common)
      }
      return .again
    } catch {
      switch error {
      case .noMemory: return .unavailable
      case .unreadable:
        common.counts.couldNotRead()
        return .unavailable
      case .steppedBack: return stepBack(base, &woken)
      }
    }
  }

  /// Redis has lost what this process knew: all of it is loaded, and those who watch are told of a gap.
  private func stepBack(_ base: SessionCopy.Base, _ woken: inout [any SessionWatcher]) -> Finish {
    common.counts.steppedBack()
    let nothing = SessionCopy.Base(stamp: nil, eventID: 0, changedAt: 0, rememberedCount: 0)
    let answer = SessionCopy.look(nothing, keys, in: common)
    guard case .other(let loaded) = answer else { return learn(answer, base, &woken) }
    do throws(LoadingError) {
      try replace(base, &woken) { old, readers throws(LoadingError) in
        try old.another(loaded, readers: readers, at: common.clock.now(), in: common)
      }
      return .again
    } catch {
      common.counts.couldNotRead()
      return .unavailable
    }
  }

  /// Makes another copy of the one that was the base, unless there is a newer one already.
  private func replace(
    _ base: SessionCopy.Base, _ woken: inout [any SessionWatcher],
    by make: (borrowing SessionCopy, Int) throws(LoadingError) -> SessionCopy
  ) throws(LoadingError) {
    let deadline = try state.withLock { state throws(LoadingError) -> Instant in
      guard state.copy.stamp == base.stamp, state.copy.content.record != nil else { return .never }
      let new = try make(state.copy, state.watchers.count)
      if new.content.isNews(after: state.copy.content) { woken = state.watchers }
      state.copy = new
      return state.watchers.isEmpty ? .never : state.copy.content.record?.pointee.deadline ?? .never
    }
    common.watched.note(deadline)
  }

  /// Runs `body` with the copy, as it is. Nil if the session is gone.
  package func read<R: ~Copyable>(_ body: (SessionAccess) -> R) -> R? {
    state.withLock { state in
      guard let record = state.copy.content.record else { return nil }
      let now = common.clock.now()
      if record.pointee.isOver(at: now) { return nil }
      return withUnsafeMutablePointer(to: &state.copy.content) { body(SessionAccess($0, record, now: now)) }
    }
  }
}

// MARK: Watching

extension RedisSession {
  /// Lets the session wake `watcher`; false if `limit` others do that already.
  package func watch(_ watcher: any SessionWatcher, limit: Int) -> Bool {
    let count = state.withLock { state -> Int? in
      guard state.watchers.count < limit else { return nil }
      state.watchers.append(watcher)
      return state.watchers.count
    }
    guard let count else { return false }
    if count == 1 { common.watched.add(self) }
    return true
  }

  /// Undoes one `watch`.
  package func unwatch(_ watcher: any SessionWatcher) {
    let isLast = state.withLock { state in
      guard let index = state.watchers.firstIndex(where: { $0 === watcher }) else { return false }
      state.watchers.swapAt(index, state.watchers.count - 1)
      state.watchers.removeLast()
      return state.watchers.isEmpty
    }
    if isLast { common.watched.remove(self) { self.isWatched } }
  }

  var isWatched: Bool { state.withLock { !$0.watchers.isEmpty } }

  /// What a look is to ask for; nil: it is gone.
  var base: SessionCopy.Base? { state.withLock { $0.copy.base } }

  /// Whether this is what the copy is of.
  func has(_ stamp: UInt64) -> Bool { state.withLock { $0.copy.stamp == stamp } }

  /// When something happens by itself, by Redis's clock.
  var deadline: Instant { state.withLock { $0.copy.content.record?.pointee.deadline ?? .never } }

  /// Since when nobody has used it, by the machine's clock in ms.
  var usedAt: Int64 { state.withLock { $0.usedAt } }

  var status: Status? { state.withLock { $0.copy.content.record?.pointee.status } }

  /// Takes what a look found, and wakes whoever watches if it's news.
  func take(_ answer: RedisAnswer, askedFor base: SessionCopy.Base) {
    var woken: [any SessionWatcher] = []
    _ = learn(answer, base, &woken)
    for watcher in woken { watcher.wake() }
  }

  /// Fires the timers that are due, and commits what they did; false if that could not be done now.
  func runTimers() -> Bool {
    switch access({ (_: inout SessionAccess) in }) {
    case .done, .gone: true
    case .unavailable: false
    }
  }
}

extension SessionCopy {
  /// Runs `body` after the timers that are due; what is nil is over.
  fileprivate mutating func run<R: ~Copyable, E: Error>(
    _ record: UnsafeMutablePointer<Session>, at now: Instant, _ body: (inout SessionAccess) throws(E) -> R
  ) -> Result<R?, E> {
    withUnsafeMutablePointer(to: &content) { content in
      content.pointee.fireTimers(record, at: now)
      if record.pointee.isOver(at: now) { return .success(nil) }
      var access = SessionAccess(content, record, now: now)
      do throws(E) {
        return .success(try body(&access))
      } catch {
        return .failure(error)
      }
    }
  }
}

extension SessionContent {
  fileprivate func isNews(after old: borrowing SessionContent) -> Bool {
    history != old.history || record?.pointee.eventID != old.record?.pointee.eventID
  }
}
