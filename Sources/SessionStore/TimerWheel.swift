internal import PINEntry

/// When to look at which session: buckets of some milliseconds, gone through in turn.
///
/// An entry is only a time to look: a session whose deadline has moved on is put in anew when it is looked at, so that
/// an edit that moves a deadline costs nothing. Deadlines beyond one turn are looked at once a turn.
final class TimerWheel: Sendable {
  private let state = Locked(State())

  private struct State: ~Copyable {
    var buckets = [[SessionHandle]](repeating: [], count: TimerWheel.bucketCount)
    var count = 0
    /// The first tick that has not been gone through.
    var tick: Int64 = 0
    /// The tick at which the wheel will be run next; `.max`: not at all.
    var next = Int64.max
  }

  /// In ms; a timer fires so much late at most.
  private static let tickLength: Int64 = 64
  private static let bucketCount = 8192

  /// Puts a session in; true if the wheel has to run earlier than it would.
  func insert(_ session: SessionHandle, at deadline: Instant) -> Bool {
    guard deadline != .never else { return false }
    let wanted = (deadline.milliseconds + Self.tickLength - 1) / Self.tickLength
    return state.withLock { state in
      let tick = min(max(wanted, state.tick), state.tick + Int64(Self.bucketCount) - 1)
      state.buckets[Int(tick) % Self.bucketCount].append(session)
      state.count += 1
      guard tick < state.next else { return false }
      state.next = tick
      return true
    }
  }

  /// Takes out some of the sessions to look at; none: there are no more for now.
  func take(at now: Instant, most: Int) -> [SessionHandle] {
    let today = now.milliseconds / Self.tickLength
    return state.withLock { state in
      // After a long rest one turn finds all there is.
      state.tick = max(state.tick, today - Int64(Self.bucketCount) + 1)
      while state.tick <= today {
        let index = Int(state.tick) % Self.bucketCount
        let due = state.buckets[index]
        if !due.isEmpty {
          let taken = Array(due.suffix(most))
          if taken.count == due.count {
            state.buckets[index] = []
          } else {
            state.buckets[index].removeLast(taken.count)
          }
          state.count -= taken.count
          return taken
        }
        state.tick += 1
      }
      return []
    }
  }

  /// When to run next.
  func nextRun() -> Instant {
    state.withLock { state in
      state.next = .max
      guard state.count > 0 else { return .never }
      for tick in state.tick..<(state.tick + Int64(Self.bucketCount))
      where !state.buckets[Int(tick) % Self.bucketCount].isEmpty {
        state.next = tick
        return Instant(milliseconds: tick * Self.tickLength)
      }
      return .never
    }
  }
}
