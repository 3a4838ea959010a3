internal import Glibc

/// A point of the monotonic clock up to which something may take.
package struct Deadline: Sendable {
  private let nanoseconds: Int64

  package static func after(milliseconds: Int) -> Deadline {
    Deadline(nanoseconds: now + Int64(milliseconds) * 1_000_000)
  }

  /// Something that may take as long as it likes.
  static let never = Deadline(nanoseconds: .max)

  var isOver: Bool { Self.now >= nanoseconds }

  /// How long there is still, in milliseconds, rounded up; 0 if it is over.
  var milliseconds: Int {
    let left = max(0, nanoseconds - Self.now)
    return Int(left / 1_000_000 + (left % 1_000_000 > 0 ? 1 : 0))
  }

  /// This one, or another that is earlier.
  func orEarlier(_ other: Deadline) -> Deadline { nanoseconds <= other.nanoseconds ? self : other }

  /// For a clock call of the system that counts by the same clock.
  var time: timespec { timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000)) }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
