/// What the operator decides about the service.
package struct ServiceSettings: Sendable {
  /// Exact origins whose pages may use the service; empty: CORS is off.
  package var allowedOrigins: [String]
  /// Names that a `Host` may have in a creation without API keys, besides those of this machine.
  package var allowedHosts: [String]
  /// Who may create sessions; empty: whoever reaches the service.
  package var apiKeys: [APIKey]
  /// Within how many seconds the readers of streams are told to come back when the service stops.
  package var comeBackSeconds: Int
  /// The page's `Content-Security-Policy`; empty: its own.
  package var pagePolicy: String
  /// Origins of pages that may have the page in a frame, or `self`.
  package var frameAncestors: [String]
  /// ms between the points in time at which those who watch get to see what has happened; 0: at once.
  package var watchGrid: Int
  /// Addresses and ranges of proxies whose word for the client's address is believed, or `unix`.
  package var proxies: [String]
  package var metricsAccess: MetricsAccess
  /// What one address may create in a minute; 0: as many as it likes.
  package var creationsPerMinute: Int
  /// How many wrong tokens a session answers as such in a minute; 0: all.
  package var wrongTokensPerMinute: Int
  /// For how many ms a request may wait for its turn to ask the store.
  package var longestQueue: Int

  package init(
    allowedOrigins: [String] = [], allowedHosts: [String] = [], apiKeys: [APIKey] = [], comeBackSeconds: Int = 10,
    pagePolicy: String = "", frameAncestors: [String] = [], watchGrid: Int = 0, proxies: [String] = [],
    metricsAccess: MetricsAccess = .loopback,
    creationsPerMinute: Int = 1200, wrongTokensPerMinute: Int = 60, longestQueue: Int = 250
  ) {
    self.allowedOrigins = allowedOrigins
    self.allowedHosts = allowedHosts
    self.apiKeys = apiKeys
    self.comeBackSeconds = comeBackSeconds
    self.pagePolicy = pagePolicy
    self.frameAncestors = frameAncestors
    self.watchGrid = watchGrid
    self.proxies = proxies
    self.metricsAccess = metricsAccess
    self.creationsPerMinute = creationsPerMinute
    self.wrongTokensPerMinute = wrongTokensPerMinute
    self.longestQueue = longestQueue
  }
}
