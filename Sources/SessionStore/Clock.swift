internal import Glibc
package import PINEntry

/// Where a store has the time from.
package struct Clock: Sendable {
  /// The clock that deadlines are measured by: no change of the wall clock moves it, and it runs on while the machine
  /// sleeps.
  package let now: @Sendable () -> Instant
  /// The wall clock, in seconds since 1970.
  package let seconds: @Sendable () -> UInt32

  package init(now: @escaping @Sendable () -> Instant, seconds: @escaping @Sendable () -> UInt32) {
    self.now = now
    self.seconds = seconds
  }

  /// The machine's.
  package static let system = Clock(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return Instant(milliseconds: Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec / 1_000_000))
    },
    seconds: { UInt32(truncatingIfNeeded: time(nil)) })
}
