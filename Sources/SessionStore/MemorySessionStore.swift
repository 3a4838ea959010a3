internal import CSodium
package import PINEntry

/// Keeps sessions in this process's memory.
package final class MemorySessionStore: SessionStore {
  private let maximum: Int
  private let common: StoreCommon
  private let shards: [Shard]
  private let creations: CreationMemory

  /// How many parts the sessions are kept in, each with its lock; a power of two.
  private static let shardCount = 64

  /// How many sessions are taken off the wheel at once, and how many times until the thread may do something else.
  private static let sliceSize = 256
  private static let slices = 4

  /// - Parameters:
  ///   - maximum: how many sessions there may be, closed ones that still answer among them.
  ///   - grid: ms between the points in time at which those who watch see what has happened; 0: at once.
  ///   - onDeadline: is told, on any thread, when `runTimers` has to be called earlier than it said.
  package init(
    maximum: Int, memoryLock: MemoryLock, grid: Int = 0, clock: Clock = .system,
    onDeadline: @escaping @Sendable (Instant) -> Void
  ) throws(StoreError) {
    Sodium.start()
    self.maximum = maximum
    let common = StoreCommon(clock, try Arena(memoryLock), step: Int64(grid), onDeadline: onDeadline)
    self.common = common
    creations = CreationMemory(clock: clock)
    shards = (0..<Self.shardCount).map { _ in Shard(common) }
  }

  /// Sessions know their shard, and it knows them.
  deinit {
    for shard in shards { shard.sessions.withLock { $0 = SessionTable() } }
  }

  package func now() -> Instant { common.clock.now() }

  /// What the sessions' tokens are made with.
  package var tokens: TokenKey { common.tokens }

  package let hashes = HashKey()

  /// Whether all memory for digits could be locked.
  package var isMemoryLocked: Bool { common.arena.isLocked }

  /// Makes a session; its time begins to run.
  package func create(
    _ options: EntryOptions, _ presentation: Presentation, by deadline: Deadline?
  ) throws(StoreError) -> SessionHandle {
    guard common.tally.add(upTo: maximum) else { throw .full }
    let record: UnsafeMutablePointer<Session>
    do {
      record = try common.arena.allocate()
    } catch {
      common.tally.removeOpen()
      throw error
    }
    let (id, nonce) = SessionID.randomPair()
    let seconds = common.clock.seconds()
    record.initialize(to: Session(id: id, nonce: nonce, options: options, at: common.clock.now(), on: seconds))
    let session = MemorySession(id, nonce: nonce, on: seconds, record, presentation, in: shard(of: id))
    session.start()
    return .memory(session)
  }

  package func createOnce<E: Error>(
    _ key: CreationKey, request: Hash128, _ create: (Deadline?) throws(E) -> Creation
  ) throws(E) -> CreatedOnce {
    try creations.once(key, request: request) { () throws(E) in try create(nil) }.map { .created($0) } ?? .otherRequest
  }

  /// The session of this id; nil if there is none.
  package func find(_ id: SessionID) -> SessionHandle? {
    shard(of: id).sessions.withLock { $0.find(id) }.map { .memory($0) }
  }

  /// The sessions of these ids; nil for those that are unknown or gone.
  package func find(_ ids: [SessionID]) -> [SessionHandle?] { ids.map { find($0) } }

  /// Fires timers that are due, and says when it wants to be called again: at once, if there are more than it does in
  /// about a millisecond. For one thread at a time.
  package func runTimers(at now: Instant) -> Instant {
    for _ in 0..<Self.slices {
      let due = common.wheel.take(at: now, most: Self.sliceSize)
      for session in due { session.runTimers(at: now) }
      if due.count < Self.sliceSize { return common.wheel.nextRun() }
    }
    return now
  }

  /// How many sessions there are of a status.
  package func count(_ status: Status) -> Int { common.tally.count(status) }

  /// It can always be used.
  package func check() {}

  package var figures: StoreFigures? { nil }

  private func shard(of id: SessionID) -> Shard { shards[Int(truncatingIfNeeded: id.low) & (Self.shardCount - 1)] }
}
