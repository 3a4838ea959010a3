import Glibc
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
final class Route: Sendable {
  /// The path with at most one `{name}`, as it stands in metrics and in the OpenAPI document.
  let pattern: String
  private let before: [UInt8]
  private let after: [UInt8]?
  let endpoints: [Endpoint]
  /// Whether its requests are of one session.
  let isOfSession: Bool
  /// Whether they ask the store, which may be on another machine.
  let asksStore: Bool

  /// - Parameter asksStore: whether its requests do, also if they are not of one session.
  init(_ pattern: String, asksStore: Bool = false, _ endpoints: Endpoint...) {
    self.pattern = pattern
    self.endpoints = endpoints
    isOfSession = endpoints.contains { endpoint in
      if case .session = endpoint.handler { true } else { false }
    }
    self.asksStore = asksStore || isOfSession
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
    guard let after else {
      return path.count == before.count && path.holds(before, at: 0)
        ? UnsafeRawBufferPointer(start: nil, count: 0) : nil
    }
    let nameCount = path.count - before.count - after.count
    guard nameCount > 0, path.holds(before, at: 0), path.holds(after, at: path.count - after.count) else { return nil }
    let name = UnsafeRawBufferPointer(rebasing: path[before.count..<(before.count + nameCount)])
    return name.contains(UInt8(ascii: "/")) ? nil : name
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

extension UnsafeRawBufferPointer {
  /// Whether the bytes are there at this place, of which there are enough.
  fileprivate func holds(_ bytes: [UInt8], at place: Int) -> Bool {
    guard let start = baseAddress else { return bytes.isEmpty }
    return memcmp(start + place, bytes, bytes.count) == 0
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
