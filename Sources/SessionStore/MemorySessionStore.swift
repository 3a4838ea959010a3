internal import CSodium
package import PINEntry
internal import Synchronization

/// Keeps sessions in this process's memory.
package final class MemorySessionStore: Sendable {
  typealias Shard = Locked<[SessionID: SessionHandle]>

  let clock: Clock
  private let maximum: Int
  private let shards: [Shard]
  private let arena: Arena
  private let wheel = TimerWheel()
  private let tally = Tally()
  private let onDeadline: @Sendable (Instant) -> Void

  /// How many parts the table of sessions has, each with its lock.
  private static let shardCount = 64

  /// How many sessions a turn of the timers looks at before others get their turn.
  private static let sliceSize = 256

  /// - Parameters:
  ///   - maximum: how many sessions there may be, closed ones that still answer among them.
  ///   - onDeadline: is told, on any thread, when `runTimers` has to be called earlier than it said.
  package init(
    maximum: Int, memoryLock: MemoryLock, clock: Clock = .system, onDeadline: @escaping @Sendable (Instant) -> Void
  ) throws(StoreError) {
    self.maximum = maximum
    self.clock = clock
    self.onDeadline = onDeadline
    arena = try Arena(memoryLock)
    shards = (0..<Self.shardCount).map { _ in Shard([:]) }
  }

  /// Whether all memory for digits could be locked.
  package var isMemoryLocked: Bool { arena.isLocked }

  package func create(_ options: EntryOptions, _ presentation: Presentation) throws(StoreError) -> SessionHandle {
    guard tally.add(upTo: maximum) else { throw .full }
    let record: UnsafeMutablePointer<Session>
    do {
      record = try arena.allocate()
    } catch {
      tally.removeOpen()
      throw error
    }
    let id = Self.randomID()
    let nonce = Self.randomID()
    let seconds = clock.seconds()
    record.initialize(to: Session(id: id, nonce: nonce, options: options, at: clock.now(), on: seconds))
    let shard = shard(of: id)
    let handle = SessionHandle(id, nonce: nonce, on: seconds, record, presentation, in: shard, of: self)
    shard.withLock { $0[id] = handle }
    handle.start()
    return handle
  }

  /// The session of this id; nil if there is none.
  package func find(_ id: SessionID) -> SessionHandle? { shard(of: id).withLock { $0[id] } }

  /// Fires the timers that are due, and says when it wants to be called again. For one thread at a time.
  package func runTimers(at now: Instant) -> Instant {
    while true {
      let due = wheel.take(at: now, most: Self.sliceSize)
      if due.isEmpty { return wheel.nextRun() }
      for session in due { session.runTimers(at: now) }
    }
  }

  /// How many sessions there are of a status.
  package func count(_ status: Status) -> Int { tally.count(status) }

  func schedule(_ session: SessionHandle, at deadline: Instant) {
    if wheel.insert(session, at: deadline) { onDeadline(deadline) }
  }

  func countClose(as status: Status) { tally.close(as: status) }

  func remove(_ record: UnsafeMutablePointer<Session>) {
    tally.remove(record.pointee.status)
    arena.release(record)
  }

  private func shard(of id: SessionID) -> Shard { shards[Int(truncatingIfNeeded: id.low >> 8) & (Self.shardCount - 1)] }

  private static func randomID() -> SessionID {
    var bits: [2 of UInt64] = [0, 0]
    withUnsafeMutableBytes(of: &bits) { randombytes_buf($0.baseAddress!, $0.count) }
    return SessionID(high: bits[0], low: bits[1])
  }
}
