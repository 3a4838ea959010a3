import PINService

/// Reads the configuration, the keys and the styles again while the service runs.
struct Reloading {
  /// The command line, which names the file, and comes before it.
  let options: Options
  let service: PINService
  let log: Log
  /// Only this machine reaches the service.
  let isLoopback: Bool
  /// What holds now, without keys.
  private(set) var configuration: Configuration
  /// Whether creating needs an API key.
  private var needsKey: Bool

  init(_ options: Options, _ configuration: Configuration, _ service: PINService, _ log: Log, isLoopback: Bool) {
    self.options = options
    self.service = service
    self.log = log
    self.isLoopback = isLoopback
    self.configuration = configuration
    needsKey = !configuration.apiKeys.isEmpty
    self.configuration.apiKeys = []
  }

  /// Takes what is there now; keeps what was if there is a mistake in it.
  mutating func reload() {
    var loading = Loading(options, isAgain: true)
    let styles = loading.styles()
    var (new, unchangeable) = configuration.reloaded(loading.reader.configuration)
    if !isLoopback && new.apiKeys.isEmpty && !new.allowAnyoneToCreate {
      loading.refuse(ConfigurationReader.refusal(toListenAt: configuration.listen))
    }
    guard loading.reader.mistakes.isEmpty else {
      for mistake in loading.reader.mistakes { log.say(.error, mistake) }
      return log.say(.error, "the configuration has mistakes: all stays as it was")
    }
    for name in unchangeable { log.say(.warning, "\(name): stays as it was until the program is started again") }
    for warning in new.warnings { log.say(.warning, warning) }
    if needsKey && new.apiKeys.isEmpty {
      log.say(.warning, "there are no API keys any more: whoever reaches the service may create sessions")
    }
    service.reload(ServiceSettings(new), styles: styles)
    log.set(new)
    needsKey = !new.apiKeys.isEmpty
    new.apiKeys = []
    configuration = new
    log.say(.info, "the configuration was read again")
  }
}

extension ServiceSettings {
  init(_ configuration: Configuration) {
    self.init(
      allowedOrigins: configuration.allowedOrigins, allowedHosts: configuration.allowedHosts,
      apiKeys: configuration.apiKeys, comeBackSeconds: configuration.comeBackSeconds,
      pagePolicy: configuration.pagePolicy, frameAncestors: configuration.frameAncestors,
      watchGrid: configuration.watchGrid,
      proxies: configuration.proxies, metricsAccess: MetricsAccess(rawValue: configuration.metricsAccess) ?? .loopback,
      creationsPerMinute: configuration.creationsPerMinute, wrongTokensPerMinute: configuration.wrongTokensPerMinute,
      longestQueue: configuration.redisPatience)
  }
}

extension Log {
  /// Logs what the configuration asks for.
  func set(_ configuration: Configuration) {
    set(level: LogLevel(rawValue: configuration.logLevel) ?? .info, requests: configuration.logRequests)
  }
}
