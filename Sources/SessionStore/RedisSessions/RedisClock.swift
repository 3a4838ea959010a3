internal import PINEntry
internal import Synchronization

/// Redis's time, by this machine's clock and what Redis has said last: nodes whose own clocks differ agree on when a
/// session ends.
package final class RedisClock: Sendable {
  private let machine: Clock
  /// Whether the time is asked of Redis; else the given clock is taken for its own, for tests.
  let followsRedis: Bool
  /// How far Redis is ahead of the machine's clock, in ms.
  private let ahead: Atomic<Int64>

  package init(_ machine: Clock = .system, followsRedis: Bool = true) {
    self.machine = machine
    self.followsRedis = followsRedis
    // Until Redis has said its time once, the wall clock stands for it.
    let guess = Int64(machine.seconds()) * 1000 - machine.now().milliseconds
    ahead = Atomic(followsRedis ? guess : 0)
  }

  /// In ms since 1970.
  func now() -> Instant { Instant(milliseconds: machine.now().milliseconds + ahead.load(ordering: .relaxed)) }

  /// Takes note of a time that Redis said.
  ///
  /// - Parameters:
  ///   - time: Redis's, in ms.
  ///   - sent: when it was asked, by `machineTime`.
  func observe(_ time: Int64, askedAt sent: Int64) {
    guard followsRedis else { return }
    let received = machineTime
    // Redis said it between asking and now; what fits is left as it is.
    let old = ahead.load(ordering: .relaxed)
    let new = min(max(old, time - received), time - sent + 1)
    if new != old { ahead.store(new, ordering: .relaxed) }
  }

  /// The machine's clock, in ms.
  var machineTime: Int64 { machine.now().milliseconds }

  /// How long it is until then, in ms; 0 if it is past.
  func milliseconds(until time: Instant) -> Int64 {
    time == .never ? .max : max(0, time.milliseconds - now().milliseconds)
  }
}
