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
      guard rules.proxies.isDirect(request) else {
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
