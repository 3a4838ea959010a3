package import PINEntry

/// A session that was found. Its id and nonce never change; everything else is reached through `access`.
package final class SessionHandle: @unchecked Sendable {
  package let id: SessionID
  package let nonce: SessionID
  /// When it was created, in seconds since 1970.
  package let createdOn: UInt32
  private unowned let store: MemorySessionStore
  private let shard: MemorySessionStore.Shard

  // All below is touched only with the shard's lock held.

  /// In the arena; nil once the session is gone.
  var record: UnsafeMutablePointer<Session>?
  var presentation: Presentation
  var log = EventLog()
  var notes: Notes?
  var remembered: [Recalled] = []
  var watchers: [any SessionWatcher] = []
  /// The earliest time at which the wheel looks at it.
  private var scheduled = Instant.never

  init(
    _ id: SessionID, nonce: SessionID, on seconds: UInt32, _ record: UnsafeMutablePointer<Session>,
    _ presentation: Presentation, in shard: MemorySessionStore.Shard, of store: MemorySessionStore
  ) {
    self.id = id
    self.nonce = nonce
    createdOn = seconds
    self.record = record
    self.presentation = presentation
    self.shard = shard
    self.store = store
  }

  /// Runs `body` with the session locked, after the timers that are due, and then wakes whoever watches if there were
  /// events; nil if the session is gone.
  package func access<R: ~Copyable, E: Error>(_ body: (inout SessionAccess) throws(E) -> R) throws(E) -> R? {
    var woken: [any SessionWatcher] = []
    var deadline = Instant.never
    defer {
      if deadline != .never { store.schedule(self, at: deadline) }
      for watcher in woken { watcher.wake() }
    }
    return try shard.withLock { sessions throws(E) -> R? in
      let now = store.clock.now()
      guard let record else { return nil }
      let event = record.pointee.eventID
      defer {
        if record.pointee.eventID != event { woken = watchers }
        deadline = newDeadline()
      }
      fireTimers(record, at: now)
      // It goes for good when the wheel comes to it.
      if record.pointee.isOver(at: now) { return nil }
      var access = SessionAccess(self, record, now: now)
      let result = try body(&access)
      // A change of options can make a timer due that was not.
      fireTimers(record, at: now)
      return result
    }
  }

  /// Lets the session wake `watcher`; false if `limit` others do that already.
  package func watch(_ watcher: any SessionWatcher, limit: Int) -> Bool {
    shard.withLock { _ in
      guard watchers.count < limit else { return false }
      watchers.append(watcher)
      return true
    }
  }

  package func unwatch(_ watcher: any SessionWatcher) {
    shard.withLock { _ in
      guard let index = watchers.firstIndex(where: { $0 === watcher }) else { return }
      watchers.swapAt(index, watchers.count - 1)
      watchers.removeLast()
    }
  }

  /// Does what is due, or removes the session; called when the wheel comes to it.
  func runTimers(at now: Instant) {
    var woken: [any SessionWatcher] = []
    var deadline = Instant.never
    shard.withLock { sessions in
      guard let record else { return }
      scheduled = .never
      let event = record.pointee.eventID
      fireTimers(record, at: now)
      if record.pointee.isOver(at: now) {
        sessions[id] = nil
        self.record = nil
        remembered = []
        woken = watchers
        store.remove(record)
      } else {
        if record.pointee.eventID != event { woken = watchers }
        deadline = newDeadline()
      }
    }
    if deadline != .never { store.schedule(self, at: deadline) }
    for watcher in woken { watcher.wake() }
  }

  /// Puts the events of the edit just made into the log.
  func takeEvents(_ record: UnsafeMutablePointer<Session>, message: String? = nil) {
    let events = record.pointee.takeEvents()
    guard !events.isEmpty else { return }
    let state = record.pointee.state
    events.forEachKind { kind in
      log.append(EventRecord(state: state, kind: kind, reason: kind == .end ? events.endReason : .none))
    }
    let oldest = log.oldest?.state.revision ?? state.revision
    if let message {
      notes = notes ?? Notes()
      notes?.add(message, at: state.revision, oldest: oldest)
    }
    if events.contains(.configure) {
      notes = notes ?? Notes()
      notes?.add(record.pointee.options, presentation, at: state.revision, oldest: oldest)
    }
    if events.contains(.close) {
      remembered = []
      store.countClose(as: state.status)
    }
  }

  private func fireTimers(_ record: UnsafeMutablePointer<Session>, at now: Instant) {
    while record.pointee.fireTimer(at: now) { takeEvents(record) }
  }

  /// The deadline, if the wheel would look at the session too late without being told.
  private func newDeadline() -> Instant {
    guard let deadline = record?.pointee.deadline, deadline < scheduled else { return .never }
    scheduled = deadline
    return deadline
  }

  /// Puts a new session's deadline on the wheel.
  func start() {
    let deadline = shard.withLock { _ in newDeadline() }
    if deadline != .never { store.schedule(self, at: deadline) }
  }
}
