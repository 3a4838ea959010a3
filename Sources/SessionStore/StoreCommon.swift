internal import PINEntry

/// What all sessions of a store have in common. Each part has its own lock, to be taken after a shard's.
final class StoreCommon: Sendable {
  let clock: Clock
  let arena: Arena
  let tokens = TokenKey()
  let wheel: TimerWheel
  let tally = Tally()
  /// ms between two points of the grid; 0 without one.
  let step: Int64
  /// Is told when the timers have to be run earlier than was said.
  let onDeadline: @Sendable (Instant) -> Void

  init(_ clock: Clock, _ arena: Arena, step: Int64 = 0, onDeadline: @escaping @Sendable (Instant) -> Void) {
    self.clock = clock
    self.arena = arena
    self.step = step
    self.onDeadline = onDeadline
    wheel = TimerWheel(at: clock.now())
  }
}
