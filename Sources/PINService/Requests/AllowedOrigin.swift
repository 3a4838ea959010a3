import MicroHTTP

/// The origin of a request if pages from there may read the answers (CORS).
enum AllowedOrigin {
  /// No page from elsewhere may.
  case off
  /// Some may, but not this request's.
  case none
  case origin(String)
}

/// Which pages may use the service from elsewhere, and which may reach it at all.
struct OriginPolicy: Sendable {
  /// Exact origins, as browsers send them.
  private let allowed: [String]
  /// Names that a `Host` may have besides those of this machine, in lower case.
  private let hosts: [String]

  init(allowed: [String], hosts: [String]) {
    self.allowed = allowed
    self.hosts = hosts.map { $0.lowercased() }
  }

  func origin(of request: borrowing Request) -> AllowedOrigin {
    if allowed.isEmpty { return .off }
    guard let field = request.header("Origin") else { return .none }
    guard let origin = allowed.first(where: { field.elementsEqual($0.utf8) }) else { return .none }
    return .origin(origin)
  }

  /// Refuses a creation that a page from elsewhere could have sent: by a name that someone else's DNS points here, or
  /// across origins.
  func checkCreation(_ request: borrowing Request) throws(Problem) {
    let authority = request.header("Host").map { String(decoding: $0, as: UTF8.self) } ?? ""
    guard trusts(host: authority) else {
      throw Problem(.forbidden, "Without API keys sessions can't be created under this Host.")
    }
    guard let origin = request.header("Origin").map({ String(decoding: $0, as: UTF8.self) }) else { return }
    let own = ["http://" + authority, "https://" + authority]
    guard own.contains(origin) || allowed.contains(origin) else {
      throw Problem(.forbidden, "Without API keys sessions can't be created by pages from this Origin.")
    }
  }

  private func trusts(host authority: String) -> Bool {
    if hosts.contains(authority.lowercased()) { return true }
    let name = Self.name(of: authority)
    return ["localhost", "127.0.0.1", "[::1]"].contains(name) || hosts.contains(name)
  }

  /// A `Host` without its port, in lower case; whole if what stands after it is no port.
  private static func name(of authority: String) -> String {
    let lower = authority.lowercased()
    let isBracketed = lower.hasPrefix("[")
    guard let end = lower.firstIndex(of: isBracketed ? "]" : ":") else { return lower }
    let name = isBracketed ? lower[...end] : lower[..<end]
    let rest = lower[name.endIndex...]
    guard rest.isEmpty || rest.hasPrefix(":") && rest.dropFirst().utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
      return lower
    }
    return String(name)
  }
}
