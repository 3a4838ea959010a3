internal import PINEntry

/// The copies that this process has of sessions in Redis, by id: all those that are in use, and those that were used
/// within the last half minute, as long as there are no more than a fixed number. Beyond it some that are not in use make
/// room for each new one.
final class SessionCopies: Sendable {
  private let shards: [Locked<[SessionID: RedisSession]>] = (0..<64).map { _ in Locked([:]) }
  private let mostInShard: Int

  /// How long a copy is kept that nobody uses, in ms: its digits are in this process's memory for so long.
  private static let rest: Int64 = 30_000

  init(most: Int) { mostInShard = max(1, most / 64) }

  func find(_ id: SessionID) -> RedisSession? { shard(of: id).withLock { $0[id] } }

  /// Keeps a session; if another thread was first, that one's is the one.
  func add(_ session: RedisSession) -> RedisSession {
    shard(of: session.id).withLock { sessions in
      if let known = sessions[session.id] { return known }
      if sessions.count >= mostInShard { makeRoom(&sessions) }
      sessions[session.id] = session
      return session
    }
  }

  private func makeRoom(_ sessions: inout [SessionID: RedisSession]) {
    // Not a view of the table, which would hold all of its sessions too, so that each of them had two owners.
    for id in Array(sessions.keys) where Self.isIdle(id, &sessions) {
      sessions[id] = nil
      if sessions.count < mostInShard { return }
    }
  }

  func remove(_ session: RedisSession) {
    shard(of: session.id).withLock { sessions in
      if sessions[session.id] === session { sessions[session.id] = nil }
    }
  }

  /// Lets go of what has not been used for long.
  func sweep(at now: Int64) {
    for shard in shards {
      shard.withLock { sessions in
        let old = sessions.filter { now - $0.value.usedAt > Self.rest || $0.value.status == nil }.map(\.key)
        for id in old where Self.isIdle(id, &sessions) { sessions[id] = nil }
      }
    }
  }

  /// How many there are of a status by now.
  func count(_ status: Status, at now: Instant) -> Int {
    shards.reduce(0) { count, shard in count + shard.withLock { $0.values.count { $0.status(at: now) == status } } }
  }

  /// Whether nobody but the table has it: neither a request nor a stream. Nobody can get it meanwhile, as the table is
  /// locked.
  private static func isIdle(_ id: SessionID, _ sessions: inout [SessionID: RedisSession]) -> Bool {
    guard var session = sessions.removeValue(forKey: id) else { return false }
    defer { sessions[id] = session }
    return isKnownUniquelyReferenced(&session)
  }

  private func shard(of id: SessionID) -> Locked<[SessionID: RedisSession]> {
    shards[Int(truncatingIfNeeded: id.low) & 63]
  }
}
