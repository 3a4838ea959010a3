import MicroHTTP

extension Problem {
  /// The request could not be taken; the connection closes after the answer.
  init(_ refusal: Refusal) {
    switch refusal {
    case .malformed: self.init(.malformed, "The request's head breaks HTTP's rules.")
    case .lengthRequired: self.init(.lengthRequired, "Send a Content-Length; transfer codings are not taken.")
    case .tooLarge: self.init(.tooLarge, "A body may have 16384 bytes at most.")
    case .unavailable: self.init(.unavailable, "There is no memory for the request.", extra: .retryAfter(5))
    case .crowded: self.init(.tooMany, "The address has too many connections.", extra: .retryAfter(5))
    }
  }
}

extension Refusal {
  /// Its label in the metrics.
  var name: StaticString {
    switch self {
    case .malformed: "malformed"
    case .lengthRequired: "length-required"
    case .tooLarge: "too-large"
    case .unavailable: "unavailable"
    case .crowded: "address-connections"
    }
  }
}
