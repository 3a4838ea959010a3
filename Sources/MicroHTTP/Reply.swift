import MicroHTTPShim
import WipingBuffer

/// What a handler answers.
package enum Reply: ~Copyable {
  case response(Response)
  /// Takes the socket over. The head is sent at once, together with the source's first bytes; the end of the body is
  /// the end of the connection. A HEAD gets the head, and the source is asked nothing.
  case stream(OpenStream, head: StreamHead)
  /// Takes the socket over, and writes nothing until the source answers by `.respond`. A HEAD gets the head of that.
  case longPoll(OpenStream)

  /// Answers the request, or says why its socket could not be taken over.
  consuming func send(to request: borrowing Request) -> StreamRefusal? {
    switch consume self {
    case .response(let response):
      response.send(to: request.pointer)
      return nil
    case .longPoll(let stream):
      return stream.attach(to: request.pointer, first: Bytes(), status: nil, leavesBodyOut: request.method == .head)
    case .stream(let stream, let head):
      var first = Bytes(capacity: 1024)
      head.write(to: &first)
      guard request.method == .head else {
        return stream.attach(to: request.pointer, first: first, status: 200, leavesBodyOut: false)
      }
      stream.onAnswer?(200)
      first.withBytes { mhs_reply_raw(request.pointer, $0.baseAddress, $0.count) }
      stream.close()
      return nil
    }
  }
}
