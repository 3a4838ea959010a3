import MicroHTTP
import PINEntry
import SessionStore
import Synchronization

/// Points in time at which those who watch are told what has happened since the last one: when each digit was typed tells
/// much about a PIN. Who asks sees no more until then (`SessionAccess.past`). Whoever types, or waits to redeem, sees it
/// at once.
final class WatchGrid: Sendable {
  /// ms between two points.
  private let step: Int64
  private let clock: @Sendable () -> Instant
  private let onPoint: @Sendable (Int64) -> Void
  private let state = Locked(State())

  private struct State {
    /// The next point, if anything waits for it.
    var point = Instant.never
    var waiting: [any GridWaiter] = []
  }

  /// - Parameters:
  ///   - step: ms between two points; at least 1.
  ///   - clock: the store's.
  ///   - onPoint: is told in how many ms `run` has to be called.
  init(step: Int64, clock: @escaping @Sendable () -> Instant, onPoint: @escaping @Sendable (Int64) -> Void) {
    self.step = step
    self.clock = clock
    self.onPoint = onPoint
  }

  /// Has `waiter` told of the next point.
  func add(_ waiter: any GridWaiter) {
    let now = clock().milliseconds
    let delay = step - now % step
    let isFirst = state.withLock { state in
      state.waiting.append(waiter)
      guard state.point == .never else { return false }
      state.point = Instant(milliseconds: now + delay)
      return true
    }
    if isFirst { onPoint(delay) }
  }

  /// Tells those who wait, if a point has come.
  ///
  /// - Parameter time: by the machine's clock, in ms, of which the store's may be another.
  /// - Returns: when it has to be called again, by the machine's clock; `.max`: when `onPoint` says so.
  func run(at time: Int64) -> Int64 {
    let now = clock()
    let (waiting, next) = state.withLock { state -> ([any GridWaiter], Int64) in
      guard state.point != .never else { return ([], .max) }
      guard now >= state.point else { return ([], time + state.point.milliseconds - now.milliseconds) }
      let waiting = state.waiting
      state = State()
      return (waiting, .max)
    }
    for waiter in waiting { waiter.pointHasCome() }
    return next
  }
}

/// What waits for the grid's next point.
protocol GridWaiter: AnyObject, Sendable {
  func pointHasCome()
}

/// A stream that is woken at the grid's points only.
final class GridWatcher: SessionWatcher, GridWaiter {
  private let stream: OpenStream
  private let grid: WatchGrid
  private let isWaiting = Atomic<Bool>(false)

  init(_ stream: OpenStream, _ grid: WatchGrid) {
    self.stream = stream
    self.grid = grid
  }

  func wake() {
    if !isWaiting.exchange(true, ordering: .acquiringAndReleasing) { grid.add(self) }
  }

  /// Whoever wakes it from here on does so for the next point.
  func pointHasCome() {
    isWaiting.store(false, ordering: .releasing)
    stream.wake()
  }
}
