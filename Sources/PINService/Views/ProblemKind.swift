/// The types of problems that the service answers with (RFC 9457); the raw value is the end of the type's URI.
package enum ProblemKind: String, CaseIterable, Sendable {
  case malformed
  case unauthorized
  case forbidden
  case notFound = "not-found"
  case methodNotAllowed = "method-not-allowed"
  case full
  case outOfPosition = "out-of-position"
  case incomplete
  case held
  case notHeld = "not-held"
  case conflict
  case closed
  case lengthRequired = "length-required"
  case preconditionFailed = "precondition-failed"
  case tooLarge = "too-large"
  case unsupportedMediaType = "unsupported-media-type"
  case invalid
  case invalidCharacter = "invalid-character"
  case overflow
  case idempotencyKeyReused = "idempotency-key-reused"
  case tooMany = "too-many"
  case `internal`
  case unavailable

  /// The HTTP status that goes with it.
  package var status: Int {
    switch self {
    case .malformed: 400
    case .unauthorized: 401
    case .forbidden: 403
    case .notFound: 404
    case .methodNotAllowed: 405
    case .full, .outOfPosition, .incomplete, .held, .notHeld, .conflict: 409
    case .closed: 410
    case .lengthRequired: 411
    case .preconditionFailed: 412
    case .tooLarge: 413
    case .unsupportedMediaType: 415
    case .invalid, .invalidCharacter, .overflow, .idempotencyKeyReused: 422
    case .tooMany: 429
    case .internal: 500
    case .unavailable: 503
    }
  }

  /// What it is, the same in every answer.
  package var title: String {
    switch self {
    case .malformed: "The request cannot be read"
    case .unauthorized: "A valid token is needed"
    case .forbidden: "Not allowed"
    case .notFound: "There is nothing here"
    case .methodNotAllowed: "The method is not allowed here"
    case .full: "The entry is full"
    case .outOfPosition: "The entry is at another position"
    case .incomplete: "The entry is not complete"
    case .held: "The text is held for judging"
    case .notHeld: "No text is held for judging"
    case .conflict: "The change does not fit the text"
    case .closed: "The session has closed"
    case .lengthRequired: "A Content-Length is needed"
    case .preconditionFailed: "The session is at another revision"
    case .tooLarge: "The body is too large"
    case .unsupportedMediaType: "The body's type is not supported"
    case .invalid: "The request is not valid"
    case .invalidCharacter: "A character is not of the alphabet"
    case .overflow: "The text is too long"
    case .idempotencyKeyReused: "The idempotency key belongs to another request"
    case .tooMany: "Too many at once"
    case .internal: "Something went wrong"
    case .unavailable: "Not available now"
    }
  }

  /// What it means and what to do, for the problem's own page.
  package var explanation: String {
    switch self {
    case .malformed:
      "The body is not one JSON text in UTF-8, or names a member twice, or the request breaks HTTP's rules. "
        + "Send it again, corrected."
    case .unauthorized:
      "The request has no token, or one that does not belong to this session, or needs an API key. "
        + "Send the session's entry or owner token (or the API key, to create a session) as Authorization: Bearer."
    case .forbidden:
      "The token does not allow this: an entry token can only type. Use the owner token. "
        + "For a creation: the Host or Origin is not one that this service trusts; configure allowedHosts or API keys."
    case .notFound:
      "No such path, or the session has never existed or closed more than 300 seconds ago. Check the id; "
        + "create a new session if the old one is gone."
    case .methodNotAllowed:
      "The path exists, but not with this method. The Allow field lists those that it has."
    case .full:
      "The entry has no room left. Delete first, or set the whole text."
    case .outOfPosition:
      "The count of characters is not the one given as \"at\": another edit came first, or this one has been made "
        + "already. Compare with the state in the answer, then decide whether to send it again."
    case .incomplete:
      "The entry does not have all its characters yet. Wait for the complete event, or redeem with hold and wait."
    case .held:
      "The owner has taken the text for judging. Wait for its accept or reject."
    case .notHeld:
      "Only a held text can be judged. Redeem with hold first."
    case .conflict:
      "The option cannot change while this text is in: the length is below the count, or the alphabet would change "
        + "under the text. Clear first."
    case .closed:
      "The session has been redeemed, accepted, locked, cancelled or has expired; its status says which. "
        + "Create a new one."
    case .lengthRequired:
      "Transfer codings are not taken. Send the body with a Content-Length."
    case .preconditionFailed:
      "The revision is not the one in If-Match. Look at the state in the answer, then send it again with its revision."
    case .tooLarge:
      "A body may have 16 KiB at most. Send less."
    case .unsupportedMediaType:
      "Bodies are JSON objects. Send Content-Type: application/json."
    case .invalid:
      "The body or a parameter is not of the expected form; errors names each place and what is wrong there."
    case .invalidCharacter:
      "The text has a character that the session's alphabet does not have, at index, counted in Unicode scalars. "
        + "Nothing of it was taken. Send it again without."
    case .overflow:
      "The text is longer than the room left, and the session was created with overflow: reject. "
        + "Nothing of it was taken. Send a shorter one."
    case .idempotencyKeyReused:
      "This Idempotency-Key was sent before with another request. Use a new key for each new request."
    case .tooMany:
      "The session, or the client's address, has as many open streams, waits or connections as it may; or the address "
        + "has created as many sessions, or the session seen as many wrong tokens, as it may in a minute. "
        + "Close some, or try again after the time in Retry-After."
    case .internal:
      "The service failed. It is not the request's fault; try again, and tell the operator if it stays."
    case .unavailable:
      "The service is stopping, or can't reach its store, or has as many sessions as it may, or no memory for another. "
        + "Try again after the time in Retry-After. Where the store was not reached a change may have been made all the "
        + "same: give it an Idempotency-Key, and send it again with that."
    }
  }
}
