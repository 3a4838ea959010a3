import SessionStore

/// A watcher that keeps its place at the session until the grid's next point: that the place has become free would tell
/// when its wait ended.
final class LeavingWatcher: GridWaiter {
  private let session: SessionHandle
  private let watcher: any SessionWatcher

  init(_ session: SessionHandle, _ watcher: any SessionWatcher) {
    self.session = session
    self.watcher = watcher
  }

  func pointHasCome() { session.unwatch(watcher) }
}
