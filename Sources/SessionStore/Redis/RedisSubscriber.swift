/// Hears what is published, on a connection and a thread of its own.
///
/// A message only wakes, so that one that gets lost must be made good: each time a subscription begins to hold, at the
/// start as well as after the connection was lost, its channel is woken without a message. Whoever subscribes, and at
/// each wake-up reads what there is, misses nothing.
package final class RedisSubscriber: Sendable {
  /// Called on the subscriber's thread, which hears nothing meanwhile.
  /// - Parameters:
  ///   - channel: valid within the call.
  ///   - message: valid within the call; nil when the subscription has begun to hold and messages may have been missed.
  package typealias Wake = @Sendable (_ channel: UnsafeRawBufferPointer, _ message: UnsafeRawBufferPointer?) -> Void

  private let listening: Listening
  private let thread: OwnThread

  /// Any server of a cluster does: they pass on to each other what is published.
  package init(_ link: RedisLink, wake: @escaping Wake) {
    let listening = Listening(link, wake)
    self.listening = listening
    thread = OwnThread { listening.run() }
  }

  deinit {
    listening.stop()
    thread.join()
  }

  /// From any thread; waits for nothing. A wake-up follows when it holds, also if it was there already.
  package func subscribe(_ channel: String) { listening.want(channel, true) }

  /// From any thread; waits for nothing, so a message that is on its way may still come.
  package func unsubscribe(_ channel: String) { listening.want(channel, false) }

  /// Whether there is a connection now.
  package var isConnected: Bool { listening.isConnected }
}
