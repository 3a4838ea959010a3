package import PINEntry

/// A session in this process's memory. Its id and nonce never change; everything else is reached through `access`.
public final class MemorySession: @unchecked Sendable {
  package let id: SessionID
  package let nonce: SessionID
  package let tokens: TokenHashes
  private let shard: Shard

  // What follows is touched only with the shard's lock held, so that the runtime need not look.

  @exclusivity(unchecked) private var content: SessionContent
  @exclusivity(unchecked) private var watchers: [any SessionWatcher] = []
  /// When the wheel looks at it, at the latest.
  @exclusivity(unchecked) private var scheduled = Instant.never

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
    tokens = shard.common.tokens.hashes(id, nonce)
    self.shard = shard
    content = SessionContent(record, presentation)
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
  /// events.
  @inlinable public func access<R: ~Copyable, E: Error>(
    _ body: (inout SessionAccess) throws(E) -> R
  ) throws(E) -> Accessed<R> {
    // Only this much is generic, and made anew by the compiler where it is called.
    guard var visit = begin() else { return .gone }
    defer { end(visit) }
    return .done(try body(&visit.access))
  }

  /// An access under way.
  @usableFromInline struct Visit {
    @usableFromInline var access: SessionAccess
    fileprivate let eventBefore: UInt64
    fileprivate let wasOpen: Bool
  }

  /// Locks the session and fires the timers that are due; nil, and not locked, if it is gone.
  @usableFromInline func begin() -> Visit? {
    shard.sessions.lock()
    guard let record = content.record else {
      shard.sessions.unlock()
      return nil
    }
    let now = shard.common.clock.now()
    // A class's property stays where it is.
    let content = withUnsafeMutablePointer(to: &content) { $0 }
    let visit = Visit(
      access: SessionAccess(content, record, now: now, step: shard.common.step), eventBefore: record.pointee.eventID,
      wasOpen: record.pointee.status == .open)
    content.pointee.fireTimers(record, at: now, step: shard.common.step)
    // It goes for good when the wheel comes to it.
    guard record.pointee.isOver(at: now) else { return visit }
    end(visit)
    return nil
  }

  /// Unlocks the session, and wakes whoever watches if there were events.
  @usableFromInline func end(_ visit: Visit) {
    var woken: [any SessionWatcher] = []
    if let record = content.record, record.pointee.eventID != visit.eventBefore {
      woken = watchers
      if visit.wasOpen { countClosing(record) }
    }
    let deadline = schedule()
    shard.sessions.unlock()
    tell(of: deadline)
    for watcher in woken { watcher.wake() }
  }

  /// Runs `body` with the session locked, as it is: timers that are due are left to the wheel. For watchers, who must not
  /// make events when they are woken: one would wake the next, and so on in the same stack. Nil if the session is gone.
  @inlinable public func read<R: ~Copyable>(_ body: (SessionAccess) -> R) -> R? {
    guard let access = beginReading() else { return nil }
    defer { endReading() }
    return body(access)
  }

  /// Locks the session; nil, and not locked, if it is gone.
  @usableFromInline func beginReading() -> SessionAccess? {
    shard.sessions.lock()
    let now = shard.common.clock.now()
    guard let record = content.record, !record.pointee.isOver(at: now) else {
      shard.sessions.unlock()
      return nil
    }
    let content = withUnsafeMutablePointer(to: &content) { $0 }
    return SessionAccess(content, record, now: now, step: shard.common.step)
  }

  @usableFromInline func endReading() { shard.sessions.unlock() }

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
      guard let record = content.record else { return }
      let event = record.pointee.eventID
      let wasOpen = record.pointee.status == .open
      content.fireTimers(record, at: now, step: shard.common.step)
      if wasOpen { countClosing(record) }
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
    content.record = nil
    content.forgetNotes()
    sessions.remove(id)
  }

  /// Of a session that was open.
  private func countClosing(_ record: UnsafeMutablePointer<Session>) {
    if record.pointee.status != .open { shard.common.tally.close(as: record.pointee.status) }
  }

  /// Has the wheel look in time, if it would not without being told. Returns the deadline if the wheel has to run
  /// earlier for it, else never.
  private func schedule() -> Instant {
    guard let deadline = content.record?.pointee.deadline, deadline < scheduled else { return .never }
    scheduled = deadline
    return shard.common.wheel.put(self, at: deadline) ? deadline : .never
  }

  private func tell(of deadline: Instant) {
    if deadline != .never { shard.common.onDeadline(deadline) }
  }
}
