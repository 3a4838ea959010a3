import MicroHTTP
import WipingBuffer

/// Why a request was refused: becomes an RFC 9457 problem document.
package struct Problem: Error {
  package let kind: ProblemKind
  /// What was wrong this time; never with anything that was typed.
  package var detail: String
  /// The present state, where knowing it helps.
  package var snapshot: Snapshot?
  /// Where in the text, in Unicode scalars.
  package var index: Int?
  package var errors: [FieldError] = []
  /// Header fields that only this problem has.
  package var extra: Extra = .none
  /// What is left of a rate.
  package var rate: RateVerdict?

  package init(_ kind: ProblemKind, _ detail: String, extra: Extra = .none) {
    self.kind = kind
    self.detail = detail
    self.extra = extra
  }

  /// What goes into the header besides the common fields.
  package enum Extra: Sendable {
    case none
    /// `Allow`: the methods of the path.
    case allow(String)
    /// `Retry-After`, in seconds.
    case retryAfter(Int)
    /// `WWW-Authenticate: Bearer`, with the error code of RFC 6750 §3.1 if a token was sent.
    case challenge(StaticString?)
    /// `Accept-Patch` (RFC 5789 §3.1).
    case acceptPatch
  }

  /// Names every place that is wrong.
  static func invalid(_ errors: [FieldError]) -> Problem {
    let places = errors.count == 1 ? "1 thing is" : "\(errors.count) things are"
    var problem = Problem(.invalid, "\(places) wrong with the request.")
    problem.errors = errors
    return problem
  }

  /// The whole answer, but for the common fields.
  func response() -> Response {
    var body = Bytes(capacity: 512)
    append(to: &body)
    var response = Response(status: kind.status, contentType: "application/problem+json", body: body)
    if let rate { response.setRate(rate) }
    switch extra {
    case .none: break
    case .allow(let methods): response.setHeader("Allow", text: methods)
    case .retryAfter(let seconds): response.setHeader("Retry-After", number: seconds)
    case .challenge(nil): response.setHeader("WWW-Authenticate", "Bearer")
    case .challenge(let error?): response.setHeader("WWW-Authenticate", text: "Bearer error=\"\(error)\"")
    case .acceptPatch: response.setHeader("Accept-Patch", "application/merge-patch+json, application/json")
    }
    return response
  }

  private func append(to body: inout Bytes) {
    body.append("{\"type\":\"/problems/")
    body.append(text: kind.rawValue)
    body.append("\",\"title\":")
    body.appendJSON(kind.title)
    body.append(",\"status\":")
    body.append(decimal: kind.status)
    body.append(",\"detail\":")
    body.appendJSON(detail)
    if let index {
      body.append(",\"index\":")
      body.append(decimal: index)
    }
    if !errors.isEmpty { append(errors, to: &body) }
    if let snapshot {
      body.append(",\"state\":")
      body.appendOpenState(snapshot)
      body.append("}")
    }
    body.append("}")
  }

  private func append(_ errors: [FieldError], to body: inout Bytes) {
    body.append(",\"errors\":[")
    for (index, error) in errors.enumerated() {
      if index > 0 { body.append(",") }
      switch error.place {
      case .pointer(let pointer):
        body.append("{\"pointer\":")
        body.appendJSON("#" + pointer)
      case .parameter(let name):
        body.append("{\"parameter\":")
        body.appendJSON(name)
      case .header(let name):
        body.append("{\"header\":")
        body.appendJSON(name)
      }
      body.append(",\"detail\":")
      body.appendJSON(error.detail)
      body.append("}")
    }
    body.append("]")
  }
}

/// One thing that is wrong with a request, and where.
package struct FieldError: Equatable, Sendable {
  package let place: Place
  package let detail: String

  package enum Place: Equatable, Sendable {
    /// A JSON pointer into the body (RFC 6901).
    case pointer(String)
    /// A parameter of the query.
    case parameter(String)
    /// A header field.
    case header(String)
  }

  package init(_ place: Place, _ detail: String) {
    self.place = place
    self.detail = detail
  }
}
