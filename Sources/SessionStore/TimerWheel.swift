internal import PINEntry

/// When to look at which session: buckets of some milliseconds, gone through in turn. A session is in one bucket at
/// most, linked through its handle, so that it is put in, moved and taken out in no time and without memory.
///
/// An entry is only a time to look: a session whose deadline has moved on is put in anew when it is looked at, so that
/// an edit that moves a deadline on costs nothing. Deadlines beyond one turn are looked at once a turn.
///
/// The links don't own: a session is taken out before its table lets go of it.
final class TimerWheel: Sendable {
  private let state: Locked<State>

  private struct State: ~Copyable {
    var buckets = [Unmanaged<MemorySession>?](repeating: nil, count: TimerWheel.bucketCount)
    var count = 0
    /// The first tick that has not been gone through.
    var tick: Int64
    /// The tick at which the wheel will be run next; `.max`: not at all.
    var next = Int64.max

    mutating func link(_ session: MemorySession, _ bucket: Int) {
      let entry = Unmanaged.passUnretained(session)
      session.place.after = buckets[bucket]
      session.place.bucket = UInt16(bucket)
      buckets[bucket]?.takeUnretainedValue().place.before = entry
      buckets[bucket] = entry
      count += 1
    }

    mutating func unlink(_ session: MemorySession) {
      guard let bucket = session.place.bucket else { return }
      let place = session.place
      if let before = place.before {
        before.takeUnretainedValue().place.after = place.after
      } else {
        buckets[Int(bucket)] = place.after
      }
      place.after?.takeUnretainedValue().place.before = place.before
      session.place = TimerWheel.Place()
      count -= 1
    }
  }

  /// A session's place in its bucket; used with the wheel's lock held only.
  struct Place {
    fileprivate var before: Unmanaged<MemorySession>?
    fileprivate var after: Unmanaged<MemorySession>?
    fileprivate var bucket: UInt16?
  }

  /// In ms; a timer fires so much late at most.
  private static let tickLength: Int64 = 64
  private static let bucketCount = 8192

  init(at now: Instant) { state = Locked(State(tick: now.milliseconds / Self.tickLength)) }

  /// Puts a session in, or moves it; true if the wheel has to run earlier than it would.
  func put(_ session: MemorySession, at deadline: Instant) -> Bool {
    // Rounded up, so that nothing is looked at too early.
    let wanted = (min(deadline.milliseconds, .max - Self.tickLength) + Self.tickLength - 1) / Self.tickLength
    return state.withLock { state in
      let tick = min(max(wanted, state.tick), state.tick + Int64(Self.bucketCount) - 1)
      state.unlink(session)
      state.link(session, Int(tick) % Self.bucketCount)
      guard tick < state.next else { return false }
      state.next = tick
      return true
    }
  }

  /// Takes a session out, if it is in.
  func remove(_ session: MemorySession) { state.withLock { $0.unlink(session) } }

  /// Takes out some of the sessions to look at; none: there are no more for now.
  func take(at now: Instant, most: Int) -> [MemorySession] {
    let today = now.milliseconds / Self.tickLength
    return state.withLock { state in
      var taken: [MemorySession] = []
      // After a long rest one turn finds all there is.
      state.tick = max(state.tick, today - Int64(Self.bucketCount) + 1)
      while state.tick <= today {
        while let first = state.buckets[Int(state.tick) % Self.bucketCount] {
          if taken.count == most { return taken }
          let session = first.takeUnretainedValue()
          state.unlink(session)
          taken.append(session)
        }
        state.tick += 1
      }
      return taken
    }
  }

  /// When to run next; it has to be asked after `take`.
  func nextRun() -> Instant {
    state.withLock { state in
      state.next = .max
      guard state.count > 0 else { return .never }
      for tick in state.tick..<(state.tick + Int64(Self.bucketCount))
      where state.buckets[Int(tick) % Self.bucketCount] != nil {
        state.next = tick
        return Instant(milliseconds: tick * Self.tickLength)
      }
      return .never
    }
  }
}
