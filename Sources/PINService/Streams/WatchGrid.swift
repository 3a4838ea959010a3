import MicroHTTP
import PINEntry
import SessionStore
import Synchronization

/// Points in time at which those who watch get to see what has happened since the last one: when each digit was typed
/// tells much about a PIN. Whoever types, or waits to redeem, sees it at once.
///
/// Locks are taken in this order: a session's, the grid's.
final class WatchGrid: Sendable {
  /// ms between two points, which are multiples of it on the clock of `monotonicNow`.
  private let step: Int64
  private let clock: @Sendable () -> Int64
  private let onPoint: @Sendable (Int64) -> Void
  private let state = Locked(State())

  private struct State {
    /// The next point, if anything waits for it.
    var point = Int64.max
    /// Of sessions that were changed or looked at since the last point: the newest event that may be seen.
    var seen: [SessionID: UInt64] = [:]
    var waiting: [GridWatcher] = []
  }

  /// - Parameters:
  ///   - step: ms between two points; at least 1.
  ///   - onPoint: is told when `run` has to be called.
  init(step: Int64, clock: @escaping @Sendable () -> Int64, onPoint: @escaping @Sendable (Int64) -> Void) {
    self.step = step
    self.clock = clock
    self.onPoint = onPoint
  }

  /// Says that the session is about to be changed here: what it has now is all that may be seen until the next point.
  func willChange(_ session: SessionHandle) {
    let point = session.read { access in
      state.withLock { state -> Int64? in
        if state.seen[session.id] == nil { state.seen[session.id] = access.session.eventID }
        return arm(&state)
      }
    }
    if let point = point ?? nil { onPoint(point) }
  }

  /// The newest event of a session that may be seen, which stays the same until the next point: whoever changes it, also
  /// at another node that has the same Redis, is seen at most once a step. To be asked with the session locked.
  func newest(of access: borrowing SessionAccess) -> UInt64 {
    let (id, newest) = (access.session.id, access.session.eventID)
    let (seen, point) = state.withLock { state -> (UInt64, Int64?) in
      if let seen = state.seen[id] { return (seen, nil) }
      state.seen[id] = newest
      return (newest, arm(&state))
    }
    if let point { onPoint(point) }
    return seen
  }

  /// Wakes the watcher at the next point.
  fileprivate func add(_ watcher: GridWatcher) {
    let point = state.withLock { state in
      state.waiting.append(watcher)
      return arm(&state)
    }
    if let point { onPoint(point) }
  }

  /// Shows what has happened if a point has come. Returns the next one; `.max`: when `onPoint` says so.
  func run(at now: Int64) -> Int64 {
    let (waiting, point) = state.withLock { state -> ([GridWatcher], Int64) in
      guard now >= state.point else { return ([], state.point) }
      let waiting = state.waiting
      state = State()
      return (waiting, .max)
    }
    for watcher in waiting { watcher.show() }
    return point
  }

  /// Returns the next point if nobody has been told of it.
  private func arm(_ state: inout State) -> Int64? {
    guard state.point == .max else { return nil }
    state.point = (clock() / step + 1) * step
    return state.point
  }
}

/// A stream that is woken at the grid's points only.
final class GridWatcher: SessionWatcher {
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
  fileprivate func show() {
    isWaiting.store(false, ordering: .releasing)
    stream.wake()
  }
}
