internal import Synchronization

/// What one request has found: a session, until when the request may wait for Redis, and what it has seen there already.
/// Whoever keeps it for longer may use it on.
public final class RedisVisit: Sendable {
  package let session: RedisSession
  private let deadline: Deadline
  /// The stamp of what Redis had when the session was found; nil: it was not asked.
  private let seen: UInt64?
  private let isUsed = Atomic(false)

  init(_ session: RedisSession, by deadline: Deadline, seen: UInt64? = nil) {
    self.session = session
    self.deadline = deadline
    self.seen = seen
  }

  /// As the session's. The first one belongs to the request; those after its deadline, and all others, have their own
  /// time.
  public func access<R: ~Copyable, E: Error>(
    _ body: (inout SessionAccess) throws(E) -> R
  ) throws(E) -> Accessed<R> {
    let isFirst = !isUsed.exchange(true, ordering: .relaxed)
    guard isFirst, !deadline.isOver else { return try session.access(by: session.common.link.deadline, body) }
    return try session.access(by: deadline, known: seen, body)
  }

  /// As the session's.
  public func read<R: ~Copyable>(_ body: (SessionAccess) -> R) -> R? { session.read(body) }
}
