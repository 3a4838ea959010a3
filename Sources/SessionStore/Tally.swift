internal import PINEntry
internal import Synchronization

/// How many sessions there are, by status.
final class Tally: Sendable {
  private let total = Atomic<Int>(0)
  private let open = Atomic<Int>(0)
  private let redeemed = Atomic<Int>(0)
  private let accepted = Atomic<Int>(0)
  private let locked = Atomic<Int>(0)
  private let cancelled = Atomic<Int>(0)
  private let expired = Atomic<Int>(0)

  /// Counts a new session; false if there are `maximum` already.
  func add(upTo maximum: Int) -> Bool {
    guard total.add(1, ordering: .relaxed).newValue <= maximum else {
      total.subtract(1, ordering: .relaxed)
      return false
    }
    open.add(1, ordering: .relaxed)
    return true
  }

  /// Takes back what `add` counted.
  func removeOpen() { remove(.open) }

  func close(as status: Status) {
    open.subtract(1, ordering: .relaxed)
    add(1, to: status)
  }

  func remove(_ status: Status) {
    add(-1, to: status)
    total.subtract(1, ordering: .relaxed)
  }

  func count(_ status: Status) -> Int {
    switch status {
    case .open: open.load(ordering: .relaxed)
    case .redeemed: redeemed.load(ordering: .relaxed)
    case .accepted: accepted.load(ordering: .relaxed)
    case .locked: locked.load(ordering: .relaxed)
    case .cancelled: cancelled.load(ordering: .relaxed)
    case .expired: expired.load(ordering: .relaxed)
    }
  }

  private func add(_ number: Int, to status: Status) {
    switch status {
    case .open: open.add(number, ordering: .relaxed)
    case .redeemed: redeemed.add(number, ordering: .relaxed)
    case .accepted: accepted.add(number, ordering: .relaxed)
    case .locked: locked.add(number, ordering: .relaxed)
    case .cancelled: cancelled.add(number, ordering: .relaxed)
    case .expired: expired.add(number, ordering: .relaxed)
    }
  }
}
