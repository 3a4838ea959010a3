import MicroHTTP
import PINEntry
import SessionStore
import WipingBuffer

/// The requests of those who watch.
enum Watching {
  /// Streams and waits per session.
  static let limit = 64

  /// `GET /v1/sessions/{id}`: the state.
  static func state(
    _ service: PINService, _ request: borrowing Request, _ call: SessionCall
  ) throws(Problem) -> Reply {
    let found = try call.session.access { access in
      StateText(access, service.sight(access, isTrusted: call.role != nil), for: call.role)
    }.get()
    let tag = found.tag
    var response =
      EntityTags.noneMatch(request, tag)
      ? Response(status: 304, contentType: nil, body: Bytes())
      : Response(status: 200, contentType: "application/json", body: found.document)
    response.setHeader("ETag", text: tag)
    response.setHeader("Vary", "Authorization")
    return .response(response)
  }

  /// `GET /v1/sessions/{id}/events`: a stream, or a poll.
  static func events(
    _ service: PINService, _ request: borrowing Request, _ call: SessionCall
  ) throws(Problem) -> Reply {
    var query = Query(request.query)
    let wait = query.seconds("wait", upTo: PINService.longestWait)
    let after = query.bytes("after")
    let last = query.bytes("lastEventId")
    if wait != nil && after == nil { query.fail("wait", "needs \"after\"") }
    try query.check()
    guard wait != nil || after != nil || Accept(request).prefersJSON else {
      return try stream(service, request, call, resume: last)
    }
    return try poll(service, request, call, after: after, wait: wait ?? 0)
  }

  private static func stream(
    _ service: PINService, _ request: borrowing Request, _ call: SessionCall, resume last: [UInt8]?
  ) throws(Problem) -> Reply {
    if service.isDraining { return .stream(OpenStream(EndedStream()), head: service.streamHead(request)) }
    let opened = try resumePoint(request, last) { point in
      call.session.access { access in
        let sight = service.sight(access)
        let cursor = Cursor.resuming(point, in: access, sight, isTrusted: call.role != nil)
        return (cursor: cursor, closed: sight.isClosed(access), id: sight.newest)
      }
    }.get()
    if opened.closed && opened.cursor == .after(opened.id) {
      return .response(Response(status: 204, contentType: nil, body: Bytes()))
    }
    // The head alone opens nothing.
    if request.method == .head { return .stream(OpenStream(EndedStream()), head: service.streamHead(request)) }
    let source = SessionStream(call.session, from: opened.cursor, showsText: call.role != nil, service: service)
    return .stream(
      try source.open(for: service.limitedClient(of: request), by: service.grid, service.metrics),
      head: service.streamHead(request))
  }

  private static func poll(
    _ service: PINService, _ request: borrowing Request, _ call: SessionCall, after: [UInt8]?, wait: Int64
  ) throws(Problem) -> Reply {
    let deadline = service.now().milliseconds + wait
    let showsText = call.role != nil
    let waits = wait > 0 && !service.isDraining && request.method == .get
    let origin = service.allowedOrigin(of: request)
    let found = try call.session.access { access in
      let sight = service.sight(access)
      let cursor = after.withOptionalBytes { Cursor.resuming($0, in: access, sight, isTrusted: showsText) }
      let text = PollText(after: cursor, showsText: showsText)
      return PollStart(text: text, document: text.document(access, sight, waits: waits))
    }.get()
    let text = found.text
    if let document = found.document() {
      return .response(Response(status: 200, contentType: "application/json", body: document))
    }
    let source = EventPoll(call.session, text, until: deadline, origin: origin, service: service)
    return .longPoll(try source.open(for: service.limitedClient(of: request), by: service.grid, service.metrics))
  }

  /// `GET /v1/events?sessions=…`: several sessions on one stream.
  static func severalEvents(
    _ service: PINService, _ request: borrowing Request
  ) throws(Problem) -> Reply {
    var query = Query(request.query)
    let ids = SeveralSessions.ids(in: &query)
    let last = query.bytes("lastEventId")
    try query.check()
    try service.checkTurn(request)
    let sessions = try SeveralSessions.find(ids, in: service.store)
    let shows = try SeveralSessions.roles(sessions, Bearer(request), service)
    if service.isDraining || request.method == .head {
      return .stream(OpenStream(EndedStream()), head: service.streamHead(request))
    }
    let places = try resumePoint(request, last) { SeveralSessions.places($0, sessions, shows, service) }.get()
    if places.allSatisfy(\.isAtEnd) { return .response(Response(status: 204, contentType: nil, body: Bytes())) }
    let source = SessionsStream(sessions, from: places.map(\.cursor), showsText: shows, service: service)
    return .stream(
      try source.open(for: service.limitedClient(of: request), by: service.grid, service.metrics),
      head: service.streamHead(request))
  }

  /// Calls `body` with the resume point, of which the header's wins over the query's.
  private static func resumePoint<R>(
    _ request: borrowing Request, _ last: [UInt8]?, _ body: (UnsafeRawBufferPointer?) -> R
  ) -> R {
    if let field = request.header("Last-Event-ID") { return body(field) }
    return last.withOptionalBytes(body)
  }
}

/// What a poll found at once: its answer, or that it has to wait.
private struct PollStart: ~Copyable {
  let text: PollText
  private let found: Bytes?

  init(text: PollText, document: consuming Bytes?) {
    self.text = text
    found = document
  }

  consuming func document() -> Bytes? { found }
}

extension [UInt8]? {
  /// Calls `body` with the bytes, or with nil.
  fileprivate func withOptionalBytes<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R {
    guard let bytes = self else { return body(nil) }
    return bytes.withUnsafeBytes { body($0) }
  }
}
