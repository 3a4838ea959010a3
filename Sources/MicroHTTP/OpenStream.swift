import MicroHTTPShim
import Synchronization
import WipingBuffer

/// A socket that stays open, or is about to.
package final class OpenStream: Sendable {
  private let source: any StreamSource
  private let client: PeerAddress?
  /// The shim's stream, once the socket is attached, else 0; freed with this object.
  private let attached = Atomic<UInt>(0)
  // Set before the socket is attached, and then read only by who feeds the stream.
  private nonisolated(unsafe) var leavesBodyOut = false
  /// Is told the answer's status, once: of a stream when its socket was taken over, of a long poll when it answers. Not
  /// if the client leaves before that. To be set before the stream is returned to the server.
  package nonisolated(unsafe) var onAnswer: (@Sendable (_ status: Int) -> Void)?

  /// What is sent at once, unless one event is longer.
  private static let chunk = 4096

  /// - Parameter client: whose stream it is; nil if it counts for nobody.
  package init(_ source: any StreamSource, for client: PeerAddress? = nil) {
    self.source = source
    self.client = client
  }

  private var stream: OpaquePointer? { OpaquePointer(bitPattern: attached.load(ordering: .sequentiallyConsistent)) }

  deinit {
    // The shim holds a reference from opening to closing, so it is closed.
    if let stream { mhs_stream_free(stream) }
  }

  /// Says that there may be something new. Any thread; never waits, and sends from the calling thread, or from a waiter if
  /// the source may wait. Before the socket is attached there is nothing to do: the source is asked right after.
  package func wake() {
    if let stream { mhs_stream_wake(stream) }
  }

  /// Takes the request's socket over and sends `first` together with the source's first bytes.
  ///
  /// - Parameters:
  ///   - status: that `first` tells of.
  ///   - leavesBodyOut: of a whole answer only the head is sent.
  /// - Returns: why it could not; then nothing has been sent, and the source is told that it is closed.
  func attach(to request: OpaquePointer, first: consuming Bytes, status: Int?, leavesBodyOut: Bool) -> StreamRefusal? {
    self.leavesBodyOut = leavesBodyOut
    let user = Unmanaged.passRetained(self)
    var taken = MHS_TAKEN
    guard let stream = open(request, user.toOpaque(), &taken) else {
      user.release()
      source.closed()
      return StreamRefusal(taken)
    }
    // Whoever wakes from here on finds the stream; whoever woke before did so before the source is asked.
    attached.store(UInt(bitPattern: stream), ordering: .sequentiallyConsistent)
    if let status { onAnswer?(status) }
    advance(stream, first)
    mhs_stream_start(stream)
    return nil
  }

  private func open(
    _ request: OpaquePointer, _ user: UnsafeMutableRawPointer, _ taken: inout mhs_taken
  ) -> OpaquePointer? {
    let mayWait = source.mayWait
    guard let client else { return mhs_stream_open(request, user, nil, mayWait, &taken) }
    return client.withBytes { bytes in
      mhs_stream_open(request, user, bytes.bindMemory(to: UInt8.self).baseAddress, mayWait, &taken)
    }
  }

  /// Goes on, as the shim's only feeder.
  func feed() {
    guard let stream else { return }
    switch mhs_stream_flush(stream) {
    case MHS_SENT: advance(stream, Bytes(capacity: 512))
    case MHS_PENDING where source.hasFallenBehind(): mhs_stream_cut(stream, true)
    default: return
    }
  }

  /// The socket was not taken over, or is no longer there.
  func close() { source.closed() }

  private func advance(_ stream: OpaquePointer, _ out: consuming Bytes) {
    while true {
      switch source.next(into: &out, at: mhs_now()) {
      case .more:
        guard out.count >= Self.chunk else { continue }
        // Another round, so that the shim decides for how long this thread goes on.
        if send(&out, stream) { mhs_stream_wake(stream) }
        return
      case .idle(let until):
        if !out.isEmpty { _ = send(&out, stream) }
        return mhs_stream_wait_until(stream, until)
      case .end:
        return finish(stream, out)
      case .cut:
        return mhs_stream_cut(stream, true)
      case .respond(let response):
        onAnswer?(response.status)
        response.write(to: &out, headOnly: leavesBodyOut)
        return finish(stream, out)
      }
    }
  }

  private func finish(_ stream: OpaquePointer, _ out: consuming Bytes) {
    if !out.isEmpty { _ = send(&out, stream) }
    mhs_stream_finish(stream)
  }

  /// Whether more may be sent; what the socket doesn't take, the shim keeps.
  private func send(_ out: inout Bytes, _ stream: OpaquePointer) -> Bool {
    let sent = out.withBytes { mhs_stream_send(stream, $0.baseAddress, $0.count) }
    out.removeAll()
    return sent == MHS_SENT
  }
}
