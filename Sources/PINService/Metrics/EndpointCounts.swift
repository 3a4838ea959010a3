import SessionStore

/// The requests of one path with one method: how many had which status, and how long they took.
final class EndpointCounts: Sendable {
  let route: String
  let method: String
  private let values = Locked(Values())

  /// Upper bounds of the histogram's buckets, in ns.
  static let bounds: [UInt64] = [
    10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000, 25_000_000, 100_000_000, 1_000_000_000,
  ]

  struct Values: Sendable {
    /// By status; a path has few, so a list is faster than a table.
    var statuses: [(status: Int, count: Int)] = []
    /// How many took no longer than each bound and longer than the one before; the last: longer than all.
    var buckets = [Int](repeating: 0, count: EndpointCounts.bounds.count + 1)
    var nanoseconds: UInt64 = 0
  }

  init(route: String, method: String) {
    self.route = route
    self.method = method
  }

  func count(_ status: Int, _ nanoseconds: UInt64) {
    values.withLock { values in
      if let index = values.statuses.firstIndex(where: { $0.status == status }) {
        values.statuses[index].count += 1
      } else {
        values.statuses.append((status, 1))
      }
      values.buckets[Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count] += 1
      values.nanoseconds += nanoseconds
    }
  }

  func read() -> Values { values.withLock { $0 } }
}
