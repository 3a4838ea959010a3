import MicroHTTP
import PINEntry
import SessionStore

extension OpenStream: SessionWatcher {}

/// A source that is woken by sessions: event streams and long waits.
protocol WatchingSource: StreamSource {
  var sessions: [SessionHandle] { get }
  /// The stream that the source feeds, which owns it. Set once, before the stream is told of to anybody.
  var stream: OpenStream? { get set }
  /// What the sessions wake in place of the stream. It keeps the stream, so it has to go in the end.
  var watcher: (any SessionWatcher)? { get set }
}

extension WatchingSource {
  /// Makes the stream and lets the sessions wake it; refused when one of them has as many watchers as it may.
  ///
  /// - Parameters:
  ///   - client: whose stream it is; nil if it counts for nobody.
  ///   - grid: when it is woken; nil: at once.
  func open(for client: PeerAddress?, by grid: WatchGrid?, _ metrics: Metrics) throws(Problem) -> OpenStream {
    let stream = OpenStream(self, for: client)
    self.stream = stream
    let gridWatcher = grid.map { GridWatcher(stream, $0) }
    let watcher: any SessionWatcher = gridWatcher ?? stream
    for (index, session) in sessions.enumerated() where !session.watch(watcher, limit: Watching.limit) {
      for watched in sessions[..<index] { watched.unwatch(watcher) }
      metrics.refused.count(.sessionStreams)
      throw Problem(.tooMany, "The session has \(Watching.limit) open streams and waits.", extra: .retryAfter(5))
    }
    self.watcher = gridWatcher
    // There may be something already that is to be seen at the next point.
    gridWatcher?.wake()
    return stream
  }

  func closed() {
    guard let stream else { return }
    for session in sessions { session.unwatch(watcher ?? stream) }
    watcher = nil
  }
}
