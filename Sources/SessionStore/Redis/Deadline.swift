internal import Glibc

/// A point of the monotonic clock up to which something may take.
struct Deadline: Sendable {
  private let nanoseconds: Int64

  static func after(milliseconds: Int) -> Deadline { Deadline(nanoseconds: now + Int64(milliseconds) * 1_000_000) }

  var isOver: Bool { Self.now >= nanoseconds }

  /// How long there is still, in milliseconds, rounded up; 0 if it is over.
  var milliseconds: Int { Int(max(0, nanoseconds - Self.now + 999_999) / 1_000_000) }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
