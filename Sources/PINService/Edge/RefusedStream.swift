package import MicroHTTP
import WipingBuffer

extension PINService {
  /// What a stream or a wait gets whose socket could not be taken over.
  package func refuseStream(_ request: borrowing Request, _ refusal: StreamRefusal) -> Response {
    let start = Metrics.time()
    let found = router.find(request)
    metrics.refused.count(refusal.scarcity)
    let response = finish(refusal.answer(to: request), allowedOrigin(of: request), isRead: request.isRead)
    account(request, found).close(response.status, Metrics.time() &- start)
    return response
  }
}

extension StreamRefusal {
  fileprivate var scarcity: Scarcity {
    switch self {
    case .full: .streams
    case .fullForAddress: .addressStreams
    case .noDescriptor: .descriptors
    }
  }

  fileprivate func answer(to request: borrowing Request) -> Response {
    switch self {
    case .fullForAddress:
      return Problem(.tooMany, "The address has as many open streams and waits as it may.", extra: .retryAfter(5))
        .response()
    case .full, .noDescriptor:
      if StreamRequest.isOne(request) { return Self.endedStream() }
      return Problem(.unavailable, "There are as many open streams and waits as there may be.", extra: .retryAfter(5))
        .response()
    }
  }

  /// Tells the reader to come back; a status other than 200 would stop a browser for good.
  private static func endedStream() -> Response {
    var body = Bytes(capacity: 16)
    body.append("retry: 5000\n\n")
    var response = Response(status: 200, contentType: "text/event-stream", body: body)
    response.setUnbuffered()
    response.setHeader("Retry-After", "5")
    response.closeConnection()
    return response
  }
}
