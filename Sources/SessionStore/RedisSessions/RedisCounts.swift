internal import Synchronization

/// What is counted of the dealings with Redis.
final class RedisCounts: Sendable {
  private let calls = Atomic<Int>(0)
  private let microseconds = Atomic<Int>(0)
  private let failures = Atomic<Int>(0)
  private let unreadable = Atomic<Int>(0)
  private let conflicts = Atomic<Int>(0)
  private let stepsBack = Atomic<Int>(0)

  func asked(for time: Int) {
    calls.add(1, ordering: .relaxed)
    microseconds.add(time, ordering: .relaxed)
  }

  func failed() { failures.add(1, ordering: .relaxed) }
  func couldNotRead() { unreadable.add(1, ordering: .relaxed) }
  func conflicted() { conflicts.add(1, ordering: .relaxed) }
  func steppedBack() { stepsBack.add(1, ordering: .relaxed) }

  var figures: StoreFigures {
    StoreFigures(
      calls: calls.load(ordering: .relaxed), microseconds: microseconds.load(ordering: .relaxed),
      failures: failures.load(ordering: .relaxed), unreadable: unreadable.load(ordering: .relaxed),
      conflicts: conflicts.load(ordering: .relaxed), stepsBack: stepsBack.load(ordering: .relaxed))
  }
}
