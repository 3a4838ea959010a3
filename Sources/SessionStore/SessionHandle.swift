package import PINEntry

/// A session that was found. Its id and nonce never change; everything else is reached through `access`.
package final class SessionHandle: @unchecked Sendable {
  package let id: SessionID
  package let nonce: SessionID
  private let shard: Shard

  // What follows is touched only with the shard's lock held.

  /// In the arena; nil once the session is gone.
  private var record: UnsafeMutablePointer<Session>?
  fileprivate(set) var presentation: Presentation
  fileprivate(set) var log = EventLog()
  private(set) var notes: Notes?
  private var watchers: [any SessionWatcher] = []
  /// When the wheel looks at it, at the latest.
  private var scheduled = Instant.never

  /// The wheel's, touched only with its lock held.
  var place = TimerWheel.Place()

  /// When it was created, in seconds since 1970.
  package let createdOn: UInt32

  init(
    _ id: SessionID, nonce: SessionID, on seconds: UInt32, _ record: UnsafeMutablePointer<Session>,
    _ presentation: Presentation, in shard: Shard
  ) {
    self.id = id
    self.nonce = nonce
    self.shard = shard
    self.record = record
    self.presentation = presentation
    createdOn = seconds
  }

  /// Makes it findable, and its timers run.
  func start() {
    let deadline = shard.sessions.withLock { sessions in
      sessions.insert(self)
      return schedule()
    }
    tell(of: deadline)
  }

  /// Runs `body` with the session locked, after the timers that are due, and then wakes whoever watches if there were
  /// events; nil if the session is gone.
  package func access<R: ~Copyable, E: Error>(_ body: (inout SessionAccess) throws(E) -> R) throws(E) -> R? {
    var woken: [any SessionWatcher] = []
    var deadline = Instant.never
    defer {
      tell(of: deadline)
      for watcher in woken { watcher.wake() }
    }
    return try shard.sessions.withLock { _ throws(E) -> R? in
      guard let record else { return nil }
      let now = shard.common.clock.now()
      let event = record.pointee.eventID
      defer {
        if record.pointee.eventID != event { woken = watchers }
        deadline = schedule()
      }
      fireTimers(record, at: now)
      // It goes for good when the wheel comes to it.
      if record.pointee.isOver(at: now) { return nil }
      var access = SessionAccess(self, record, now: now)
      return try body(&access)
    }
  }

  /// Runs `body` with the session locked, as it is: timers that are due are left to the wheel. For watchers, who must not
  /// make events when they are woken: one would wake the next, and so on in the same stack. Nil if the session is gone.
  package func read<R: ~Copyable>(_ body: (SessionAccess) -> R) -> R? {
    shard.sessions.withLock { _ in
      guard let record else { return nil }
      let now = shard.common.clock.now()
      return record.pointee.isOver(at: now) ? nil : body(SessionAccess(self, record, now: now))
    }
  }

  /// Lets the session wake `watcher`; false if `limit` others do that already.
  package func watch(_ watcher: any SessionWatcher, limit: Int) -> Bool {
    shard.sessions.withLock { _ in
      guard watchers.count < limit else { return false }
      watchers.append(watcher)
      return true
    }
  }

  /// Undoes one `watch`.
  package func unwatch(_ watcher: any SessionWatcher) {
    shard.sessions.withLock { _ in
      guard let index = watchers.firstIndex(where: { $0 === watcher }) else { return }
      watchers.swapAt(index, watchers.count - 1)
      watchers.removeLast()
    }
  }

  /// Does what is due, or removes the session; called when the wheel has come to it.
  func runTimers(at now: Instant) {
    var woken: [any SessionWatcher] = []
    var deadline = Instant.never
    shard.sessions.withLock { sessions in
      guard let record else { return }
      let event = record.pointee.eventID
      fireTimers(record, at: now)
      if record.pointee.isOver(at: now) {
        woken = watchers
        remove(record, from: &sessions)
      } else {
        if record.pointee.eventID != event { woken = watchers }
        scheduled = .never
        deadline = schedule()
      }
    }
    tell(of: deadline)
    for watcher in woken { watcher.wake() }
  }

  private func remove(_ record: UnsafeMutablePointer<Session>, from sessions: inout SessionTable) {
    shard.common.wheel.remove(self)
    shard.common.tally.remove(record.pointee.status)
    shard.common.arena.release(record)
    self.record = nil
    notes = nil
    sessions.remove(id)
  }

  private func fireTimers(_ record: UnsafeMutablePointer<Session>, at now: Instant) {
    while record.pointee.fireTimer(at: now) { takeEvents(record) }
  }

  /// Has the wheel look in time, if it would not without being told. Returns the deadline if the wheel has to run
  /// earlier for it, else never.
  private func schedule() -> Instant {
    guard let deadline = record?.pointee.deadline, deadline < scheduled else { return .never }
    scheduled = deadline
    return shard.common.wheel.put(self, at: deadline) ? deadline : .never
  }

  private func tell(of deadline: Instant) {
    if deadline != .never { shard.common.onDeadline(deadline) }
  }
}

/// What an access does, with the shard's lock held.
extension SessionHandle {
  /// Puts the events of the edit just made into the log.
  ///
  /// - Parameters:
  ///   - message: of a rejection.
  ///   - presentation: what the session shows from then on; nil: no other than before.
  func takeEvents(_ record: UnsafeMutablePointer<Session>, message: String? = nil, presentation: Presentation? = nil) {
    if let presentation { self.presentation = presentation }
    let events = record.pointee.takeEvents()
    guard !events.isEmpty else { return }
    let state = record.pointee.state
    events.forEachKind { kind in
      log.append(EventRecord(state: state, kind: kind, reason: kind == .end ? events.endReason : .none))
    }
    let oldest = log.oldest?.state.revision ?? state.revision
    if let message { makeNotes().add(message, at: state.revision, oldest: oldest) }
    if events.contains(.configure) {
      let configuration = SessionConfiguration(options: record.pointee.options, presentation: self.presentation)
      makeNotes().add(configuration, at: state.revision, oldest: oldest)
    }
    if events.contains(.close) {
      notes?.remembered = []
      shard.common.tally.close(as: state.status)
    }
  }

  /// Remembers a change for retries, and forgets the oldest if there are too many.
  func remember(_ change: Recalled) {
    let notes = makeNotes()
    if notes.remembered.count == SessionAccess.rememberedMaximum { notes.remembered.removeFirst() }
    notes.remembered.append(change)
  }

  private func makeNotes() -> Notes {
    if let notes { return notes }
    let made = Notes()
    notes = made
    return made
  }
}
