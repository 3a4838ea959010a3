import MicroHTTP
import PINEntry
import SessionStore
import WipingBuffer

/// The requests of the owner.
enum Owning {
  /// `POST …/redeem`: hands the text over, and closes with it or holds it; with `wait` it waits for it.
  static func redeem(
    _ service: PINService, _ request: borrowing Request, _ call: SessionCall
  ) throws(Problem) -> Reply {
    var body = try BodyReader(request.body)
    body.allow("hold", "wait")
    let hold = body.flag("hold") ?? false
    let wait = body.integer("wait", in: 0...PINService.longestWait)
    if wait != nil && !hold { body.fail("/wait", "goes with \"hold\": true only") }
    try body.check()
    let precondition = Precondition(revision: try EntityTags.revisions(request))
    let trace = TraceID(request)
    do {
      return .response(try Redemption.redeem(call.session, hold: hold, if: precondition, service.log, trace))
    } catch {
      // Only what is to be held may wait.
      guard error.kind == .incomplete, let wait, wait > 0 else { throw error }
      // It may yet become complete, which the owner can wait for somewhere else.
      if service.isDraining { throw .draining }
    }
    let source = RedeemWait(
      call.session, if: precondition, until: service.now().adding(seconds: UInt32(wait ?? 0)).milliseconds,
      origin: service.allowedOrigin(of: request), trace: trace, service: service)
    return .longPoll(try source.open(for: service.limitedClient(of: request), by: nil, service.metrics))
  }

  /// `POST …/accept`: the right code.
  static func accept(
    _ service: PINService, _ request: borrowing Request, _ call: SessionCall
  ) throws(Problem) -> Reply {
    var body = try BodyReader(request.body)
    body.allow()
    try body.check()
    let precondition = Precondition(revision: try EntityTags.revisions(request))
    return try call.session.editOnce(nil) { (access: inout SessionAccess) throws(Problem) in
      let now = access.now
      try access.refusing { access throws(EditError) in
        try access.apply { session throws(EditError) in try session.accept(if: precondition, at: now) }
      }
      return nil
    }.reply()
  }

  /// `POST …/reject`: the wrong code.
  static func reject(
    _ service: PINService, _ request: borrowing Request, _ call: SessionCall
  ) throws(Problem) -> Reply {
    var body = try BodyReader(request.body)
    let key = try IdempotencyKey(request, service.hashing)
    body.allow("message")
    let message = body.utf8("message", most: 200).map { String(decoding: $0, as: UTF8.self) }
    return try call.session.editOnce(key) { (access: inout SessionAccess) throws(Problem) in
      try body.check()
      let precondition = Precondition(revision: try EntityTags.revisions(request))
      let now = access.now
      try access.refusing { access throws(EditError) in
        try access.apply(message: message ?? "") { session throws(EditError) in
          try session.reject(if: precondition, at: now)
        }
      }
      return nil
    }.reply()
  }

  /// `PATCH`: changes the options.
  static func configure(
    _ service: PINService, _ request: borrowing Request, _ call: SessionCall
  ) throws(Problem) -> Reply {
    let body = try BodyReader(request.body)
    let key = try IdempotencyKey(request, service.hashing)
    return try call.session.editOnce(key, showing: .owner) { (access: inout SessionAccess) throws(Problem) in
      var reader = OptionsReader(
        service.rules.styles,
        changing: SessionConfiguration(options: access.session.options, presentation: access.presentation))
      let resolved = try reader.read(body)
      let precondition = Precondition(revision: try EntityTags.revisions(request))
      let old = access.presentation
      let isChanged = resolved.presentation != old
      let now = access.now
      try access.refusing { access throws(EditError) in
        try access.apply(presentation: isChanged ? resolved.presentation : old) { session throws(EditError) in
          try session.configure(resolved.options, presentationChanged: isChanged, if: precondition, at: now)
        }
      }
      return nil
    }.reply()
  }

  /// `DELETE`: closes as cancelled.
  static func cancel(
    _ service: PINService, _ request: borrowing Request, _ call: SessionCall
  ) throws(Problem) -> Reply {
    var body = try BodyReader(request.body)
    body.allow()
    try body.check()
    let precondition = Precondition(revision: try EntityTags.revisions(request))
    _ = try call.session.editOnce(nil) { (access: inout SessionAccess) throws(Problem) in
      let now = access.now
      try access.refusing { access throws(EditError) in
        try access.apply { session throws(EditError) in try session.cancel(if: precondition, at: now) }
      }
      return nil
    }
    return .response(Response(status: 204, contentType: nil, body: Bytes()))
  }
}

/// The only door through which characters leave.
enum Redemption {
  /// Hands the text over, and closes or keeps it for a verdict; the log tells of it.
  ///
  /// - Parameter request: what asked for it, if it said so.
  static func redeem(
    _ session: SessionHandle, hold: Bool, if precondition: Precondition, _ log: Log, _ request: TraceID?
  ) throws(Problem) -> Response {
    var completion: UInt32 = 0
    let out = try session.access { (access: inout SessionAccess) throws(Problem) -> Bytes in
      let now = access.now
      let sealed = access.sealed
      var out = Bytes(capacity: 192)
      try access.refusing { access throws(EditError) in
        try access.apply { session throws(EditError) in
          try session.redeem(hold: hold, if: precondition, at: now) { session in
            if let sealed {
              out.append("{\"sealed\":\"")
              Base64URL.encode(sealed) { out.append(byte: $0) }
            } else {
              out.append("{\"text\":\"")
              session.forEachCharacter { out.append(byte: $0) }
            }
            out.append("\",\"completion\":")
            out.append(decimal: session.completion)
            out.append("}")
          }
        }
      }
      completion = access.session.completion
      return out
    }.get()
    log.tellOfRedeem(session.id, request, hold: hold, completion: completion)
    return Response(status: 200, contentType: "application/json", body: out)
  }
}
