internal import PINEntry

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

  /// What a look that begins now is to ask for; nil: it is gone.
  func nextBase() -> SessionCopy.Base? { state.withLock { $0.nextBase() } }

  /// Whether this is what the copy is of.
  func has(_ stamp: UInt64) -> Bool { state.withLock { $0.copy.stamp == stamp } }

  /// When something happens by itself, by Redis's clock.
  var deadline: Instant { state.withLock { $0.copy.content.record?.pointee.deadline ?? .never } }

  /// Since when nobody has used it, by the machine's clock in ms.
  var usedAt: Int64 { state.withLock { $0.usedAt } }

  var status: Status? { state.withLock { $0.copy.content.record?.pointee.status } }

  /// What it is by now, also if nobody has noticed that its time is over.
  func status(at now: Instant) -> Status? {
    state.withLock { state in
      guard let record = state.copy.content.record else { return nil }
      return record.pointee.status == .open && record.pointee.totalDeadline <= now ? .expired : record.pointee.status
    }
  }

  /// Takes what a look found, and wakes whoever watches if it's news.
  ///
  /// - Parameter deadline: until when it may take to load all of it, should that be needed.
  func take(_ answer: RedisAnswer, askedFor base: SessionCopy.Base, by deadline: Deadline) {
    var woken: [any SessionWatcher] = []
    _ = learn(answer, base, &woken, by: deadline)
    for watcher in woken { watcher.wake() }
  }

  /// Fires the timers that are due, and commits what they did; false if that could not be done now.
  func runTimers() -> Bool {
    switch access(by: common.link.deadline, { (_: inout SessionAccess) in }) {
    case .done, .gone: true
    case .unavailable: false
    }
  }
}
