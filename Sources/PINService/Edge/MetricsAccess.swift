import MicroHTTP

/// Who may read the metrics.
package enum MetricsAccess: String, CaseIterable, Sendable {
  case anyone
  /// Programs on this machine, not through a proxy.
  case loopback
  /// Whoever has an API key.
  case key

  func check(_ request: borrowing Request, by rules: Rules) throws(Problem) {
    switch self {
    case .anyone: return
    case .loopback:
      // A proxy that is not listed is on this machine too, and shows by what it adds.
      let isDirect = request.header("X-Forwarded-For") == nil && request.header("Forwarded") == nil
      guard isDirect && rules.proxies.client(of: request).isLocal else {
        throw Problem(.forbidden, "The metrics are shown on this machine only.")
      }
    case .key:
      guard case .token(let key) = Bearer(request) else {
        throw Problem(.unauthorized, "Reading the metrics needs an API key.", extra: .challenge(nil))
      }
      guard rules.apiKeys.contains(key) else { throw .wrongToken }
    }
  }
}
