import MicroHTTP

extension PINService {
  /// Adds what every answer has.
  ///
  /// - Parameter isRead: of a GET, which any page's markup can ask for.
  func finish(_ response: consuming Response, _ origin: AllowedOrigin, isRead: Bool) -> Response {
    response.setHeader("X-Content-Type-Options", "nosniff")
    if isRead {
      response.setHeader("Cross-Origin-Resource-Policy", response.isEmbeddable ? "cross-origin" : "same-origin")
    }
    if !response.isCacheable { response.setHeader("Cache-Control", "no-store") }
    origin.tell(in: &response)
    return response
  }

  func finish(_ reply: consuming Reply, _ origin: AllowedOrigin, isRead: Bool) -> Reply {
    switch consume reply {
    case .response(let response): .response(finish(response, origin, isRead: isRead))
    case .stream(let stream, let head): .stream(stream, head: head)
    case .longPoll(let stream): .longPoll(stream)
    }
  }

  /// The head of an event stream.
  func streamHead(_ request: borrowing Request) -> StreamHead {
    var head = StreamHead()
    head.setHeader("Content-Type", "text/event-stream")
    head.setHeader("X-Content-Type-Options", "nosniff")
    head.setHeader("Cross-Origin-Resource-Policy", "same-origin")
    head.setUnbuffered()
    allowedOrigin(of: request).tell(in: &head)
    return head
  }
}

extension HasFields where Self: ~Copyable {
  /// Asks proxies on the way of an event stream to pass each event on as it is and at once.
  mutating func setUnbuffered() {
    setHeader("Cache-Control", "no-store, no-transform")
    setHeader("X-Accel-Buffering", "no")
  }
}

extension AllowedOrigin {
  /// Tells browsers what pages from there may read.
  func tell(in fields: inout some HasFields & ~Copyable) {
    switch self {
    case .off: break
    case .none: fields.setHeader("Vary", "Origin")
    case .origin(let origin):
      fields.setHeader("Vary", "Origin")
      fields.setHeader("Access-Control-Allow-Origin", text: origin)
      fields.setHeader("Access-Control-Expose-Headers", "ETag, Location, Retry-After, Idempotency-Replayed")
    }
  }
}
