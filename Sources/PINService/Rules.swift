import CellSVG

/// What may be changed while the service runs. A request that needs some of it takes it once, and sees nothing of what
/// comes next.
final class Rules: Sendable {
  let styles: StyleCatalog
  let apiKeys: APIKeys
  let origins: OriginPolicy
  let proxies: Proxies
  let metricsAccess: MetricsAccess
  /// Of one address; 0: as many as it likes.
  let creationsPerMinute: Int
  /// For one session; 0: as many as there are.
  let wrongTokensPerMinute: Int
  /// Within how many seconds the readers of streams are told to come back when the service stops.
  let comeBackSeconds: Int
  /// The page's `Content-Security-Policy`.
  let pagePolicy: String

  init(_ settings: ServiceSettings, _ styles: StyleCatalog) {
    self.styles = styles
    apiKeys = APIKeys(settings.apiKeys)
    origins = OriginPolicy(allowed: settings.allowedOrigins, hosts: settings.allowedHosts)
    proxies = Proxies(settings.proxies)
    metricsAccess = settings.metricsAccess
    creationsPerMinute = settings.creationsPerMinute
    wrongTokensPerMinute = settings.wrongTokensPerMinute
    comeBackSeconds = settings.comeBackSeconds
    pagePolicy = PagePolicy.text(given: settings.pagePolicy, ancestors: settings.frameAncestors)
  }
}
