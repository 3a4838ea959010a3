/// A point on a clock that no change of the wall clock moves, in milliseconds.
///
/// Which clock it is belongs to the store: time since boot for sessions kept in memory.
package struct Instant: Comparable, Hashable, Sendable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Later than every deadline.
  package static let never = Instant(milliseconds: .max)

  package func adding(seconds: UInt32) -> Instant { Instant(milliseconds: milliseconds &+ Int64(seconds) &* 1000) }

  package static func < (a: Instant, b: Instant) -> Bool { a.milliseconds < b.milliseconds }
}
