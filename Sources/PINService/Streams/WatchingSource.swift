import MicroHTTP
import PINEntry
import SessionStore

extension OpenStream: SessionWatcher {}

/// A source that is woken by sessions: event streams and long waits.
protocol WatchingSource: StreamSource {
  var sessions: [SessionHandle] { get }
  /// The stream that the source feeds, which owns it. Set once, before the stream is told of to anybody.
  var stream: OpenStream? { get set }
}

extension WatchingSource {
  /// Makes the stream and lets the sessions wake it; refused when one of them has as many watchers as it may.
  ///
  /// - Parameter client: whose stream it is; nil if it counts for nobody.
  func open(for client: PeerAddress?, _ metrics: Metrics) throws(Problem) -> OpenStream {
    let stream = OpenStream(self, for: client)
    self.stream = stream
    for (index, session) in sessions.enumerated() where !session.watch(stream, limit: Watching.limit) {
      for watched in sessions[..<index] { watched.unwatch(stream) }
      metrics.refused.count(.sessionStreams)
      throw Problem(.tooMany, "The session has \(Watching.limit) open streams and waits.", extra: .retryAfter(5))
    }
    return stream
  }

  func closed() {
    guard let stream else { return }
    for session in sessions { session.unwatch(stream) }
  }
}
