import MicroHTTP
import PINEntry
import SessionStore

/// What answers requests of one path with one method.
struct Endpoint: Sendable {
  let method: Method
  let handler: Handler

  enum Handler: Sendable {
    /// Of the service; gets what stands for `{name}` in the path.
    case service(@Sendable (PINService, borrowing Request, UnsafeRawBufferPointer) throws(Problem) -> Reply)
    /// Of one session, after the session was found and the token judged.
    case session(Access, @Sendable (PINService, borrowing Request, SessionCall) throws(Problem) -> Reply)
  }
}

/// One path and what it does.
struct Route: Sendable {
  /// The path with at most one `{name}`, as it stands in metrics and in the OpenAPI document.
  let pattern: String
  private let before: [UInt8]
  private let after: [UInt8]?
  let endpoints: [Endpoint]

  init(_ pattern: String, _ endpoints: Endpoint...) {
    self.pattern = pattern
    self.endpoints = endpoints
    let bytes = Array(pattern.utf8)
    if let open = bytes.firstIndex(of: UInt8(ascii: "{")), let close = bytes.firstIndex(of: UInt8(ascii: "}")) {
      before = Array(bytes[..<open])
      after = Array(bytes[(close + 1)...])
    } else {
      before = bytes
      after = nil
    }
  }

  /// What stands for `{name}` if the path is one of these; empty without a `{name}`.
  func match(_ path: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let after else { return path.elementsEqual(before) ? UnsafeRawBufferPointer(start: nil, count: 0) : nil }
    guard path.count > before.count + after.count, path.starts(with: before) else { return nil }
    guard path.suffix(after.count).elementsEqual(after) else { return nil }
    let name = path[before.count..<(path.count - after.count)]
    return name.contains(UInt8(ascii: "/")) ? nil : UnsafeRawBufferPointer(rebasing: name)
  }

  /// Whether its requests are of one session.
  var isOfSession: Bool {
    endpoints.contains { endpoint in
      if case .session = endpoint.handler { true } else { false }
    }
  }

  /// The methods, as `Allow` lists them.
  var allow: String {
    var methods = endpoints.map(\.method.name)
    if methods.contains("GET") { methods.append("HEAD") }
    return (methods + ["OPTIONS"]).joined(separator: ", ")
  }

  /// The endpoint for a method; `HEAD` is answered as `GET`.
  func endpoint(for method: Method) -> Int? {
    let asked = method == .head ? .get : method
    return endpoints.firstIndex { $0.method == asked }
  }
}

extension Method {
  /// As it stands in a request.
  var name: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .patch: "PATCH"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .other: "other"
    }
  }
}
