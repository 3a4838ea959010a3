/// What is told that a session has new events, or is gone. It is called without any lock of the store's, on the thread
/// that made the edit.
package protocol SessionWatcher: AnyObject, Sendable {
  func wake()
}
