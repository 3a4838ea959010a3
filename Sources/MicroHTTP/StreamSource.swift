package import WipingBuffer

/// What feeds a socket that stays open: an event stream or a long poll.
package protocol StreamSource: AnyObject, Sendable {
  /// Appends what is to be sent next to `out` (at most one event), and says what to do then. `out` may hold bytes that
  /// were not sent yet. Called by one thread at a time.
  ///
  /// - Parameter now: ms of `monotonicNow`.
  func next(into out: inout Bytes, at now: Int64) -> StreamStep

  /// Whether `next` may have to wait for another machine: then a waiter calls it, if the server has any.
  var mayWait: Bool { get }

  /// The reader is so far behind that what it needs is no longer there: the stream is cut off at once. Asked on a wake
  /// while the socket takes no bytes; called by the thread that would call `next`.
  func hasFallenBehind() -> Bool

  /// The stream is over. Called exactly once, after the last call of `next`, on the streams' thread; or, when the
  /// socket was not taken over after all (for a HEAD, or with too many streams), on the request's.
  func closed()
}

extension StreamSource {
  package var mayWait: Bool { false }
}

/// What to do after a call of `StreamSource.next`.
package enum StreamStep: ~Copyable {
  /// Bytes were appended: ask again.
  case more
  /// There is nothing more to send: ask again on a wake, or at that time (ms of `monotonicNow`; `.max`: only on a wake).
  case idle(until: Int64)
  /// Send what is there, then end.
  case end
  /// Drop the connection now; it counts as cut off.
  case cut
  /// For long polls: the whole answer, then the end.
  case respond(Response)
}
