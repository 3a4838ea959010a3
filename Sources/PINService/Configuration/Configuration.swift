/// Every setting of the program.
package struct Configuration: Equatable, Sendable {
  package var listen = "127.0.0.1:8080"
  package var allowAnyoneToCreate = false
  package var allowedHosts: [String] = []
  package var apiKeys: [APIKey] = []
  package var apiKeysFile = ""
  package var idleSeconds = 30
  package var connections = 0
  package var connectionsPerAddress = 0
  package var requestSeconds = 10
  package var allowedOrigins: [String] = []
  package var comeBackSeconds = 10
  package var drainSeconds = 10
  package var logLevel = "info"
  package var logRequests = false
  package var memoryLock = "preferred"
  package var pagePolicy = ""
  package var frameAncestors: [String] = []
  package var metricsAccess = MetricsAccess.loopback.rawValue
  package var proxies: [String] = []
  package var creationsPerMinute = 1200
  package var wrongTokensPerMinute = 60
  package var redisAllowLoss = false
  package var redisConnections = 64
  package var redisKeyFile = ""
  package var redisPatience = 250
  package var sessions = 1_000_000
  package var store = "memory"
  package var streams = 0
  package var streamsPerAddress = 0
  package var stylesDirectory = ""
  package var watchGrid = 0
  package var workers = 0

  package init() {}

  /// Where the program listens.
  package var address: ListenAddress? { ListenAddress(listen) }

  /// Whether sessions are kept in a Redis.
  package var usesRedis: Bool { store != "memory" }

  /// What is allowed, but probably not meant.
  package var warnings: [String] {
    var warnings: [String] = []
    if watchGrid > 0 && metricsAccess == MetricsAccess.anyone.rawValue {
      warnings.append("metrics.access: anyone: its counts tell when keys are pressed, which watch.grid is to hide")
    }
    if !proxies.isEmpty && apiKeys.isEmpty && !allowAnyoneToCreate {
      warnings.append("proxies, but no apiKeys: whoever reaches a proxy may create sessions")
    }
    return warnings
  }

  /// How many threads read requests and answer them.
  package var workerCount: Int { workers > 0 ? workers : 2 }

  /// How many answer those that may have to wait for Redis.
  package var waiterCount: Int { usesRedis ? redisConnections : 0 }
}

/// Where to listen.
package enum ListenAddress: Equatable, Sendable {
  case tcp(host: String, port: UInt16)
  case unix(path: String)

  /// Reads `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`.
  init?(_ text: String) {
    if text.hasPrefix("unix:") {
      let path = text.dropFirst(5)
      // As much as fits into the system's address.
      guard (1...107).contains(path.utf8.count) else { return nil }
      self = .unix(path: String(path))
      return
    }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, isBracketed == host.contains(":") else { return nil }
    self = .tcp(host: String(host), port: port)
  }

  /// Whether only this machine can reach it.
  package var isLocal: Bool {
    switch self {
    case .unix: true
    case .tcp(let host, _): host == "localhost" || host == "::1" || Self.isLoopback(host)
    }
  }

  /// 127.0.0.0/8, written as four numbers.
  private static func isLoopback(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return parts.count == 4 && !parts.contains(nil) && parts[0] == 127
  }
}
