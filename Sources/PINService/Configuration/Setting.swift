/// One setting: what it is called everywhere, how it is read, where it goes.
struct Setting: Sendable {
  /// As in the configuration file, `sessions.maximum`; in the environment it is `PINPAD_SESSIONS_MAXIMUM`.
  let name: String
  let kind: Kind
  /// What it does, for the help.
  let summary: String
  /// Whether it can be changed while the program runs.
  var isReloadable = false
  /// Whether a variable of it with nothing in it is a mistake.
  var needsValue = false

  enum Kind: Sendable {
    /// A whole number in a range.
    case number(any WritableKeyPath<Configuration, Int> & Sendable, ClosedRange<Int>)
    /// Any text, possibly one of a few.
    case text(any WritableKeyPath<Configuration, String> & Sendable, choices: [String] = [])
    /// A list of texts; in the environment they are separated by commas.
    case list(any WritableKeyPath<Configuration, [String]> & Sendable)
    /// A list of keys, kept only as hashes, and printed masked.
    case keys(any WritableKeyPath<Configuration, [APIKey]> & Sendable)
    case flag(any WritableKeyPath<Configuration, Bool> & Sendable)
  }

  /// The name of its environment variable: `apiKeysFile` is `PINPAD_API_KEYS_FILE`.
  var variable: String {
    var variable = "PINPAD_"
    for character in name {
      if character == "." {
        variable.append("_")
      } else {
        if character.isUppercase { variable.append("_") }
        variable.append(character.uppercased())
      }
    }
    return variable
  }

  /// Every setting, in the order of the file.
  static let all: [Setting] = [
    Setting(
      name: "listen", kind: .text(\.listen),
      summary: "where to listen: HOST:PORT (port 0: any; IPv6 in brackets) or unix:PATH"),
    Setting(
      name: "allowAnyoneToCreate", kind: .flag(\.allowAnyoneToCreate),
      summary: "listen elsewhere than on loopback although there are no API keys", isReloadable: true),
    Setting(
      name: "allowedHosts", kind: .list(\.allowedHosts),
      summary: "names that a Host may have in a creation without API keys", isReloadable: true),
    Setting(
      name: "apiKeys", kind: .keys(\.apiKeys), summary: "keys that may create sessions",
      isReloadable: true, needsValue: true),
    Setting(
      name: "apiKeysFile", kind: .text(\.apiKeysFile), summary: "a file of such keys, one a line", isReloadable: true,
      needsValue: true),
    Setting(
      name: "comeBackSeconds", kind: .number(\.comeBackSeconds, 1...3600),
      summary: "within how many seconds the readers of streams are told to come back when it stops", isReloadable: true),
    Setting(
      name: "connections.idleSeconds", kind: .number(\.idleSeconds, 1...3600),
      summary: "how long a connection without a request is kept"),
    Setting(
      name: "connections.maximum", kind: .number(\.connections, 0...1_000_000),
      summary: "open connections, without streams; 0: up to 4096, from the limit of open files"),
    Setting(
      name: "connections.perAddress", kind: .number(\.connectionsPerAddress, 0...1_000_000),
      summary: "open connections from one address, without streams; 0: a sixteenth of them"),
    Setting(
      name: "connections.requestSeconds", kind: .number(\.requestSeconds, 1...600),
      summary: "how long a request may take to arrive"),
    Setting(
      name: "cors.allowedOrigins", kind: .list(\.allowedOrigins), summary: "origins whose pages may use the service",
      isReloadable: true),
    Setting(
      name: "drainSeconds", kind: .number(\.drainSeconds, 0...3600), summary: "how long stopping may take",
      isReloadable: true),
    Setting(
      name: "log.level", kind: .text(\.logLevel, choices: ["error", "warning", "info"]),
      summary: "what the log tells of the program: error, warning or info", isReloadable: true),
    Setting(
      name: "log.requests", kind: .flag(\.logRequests), summary: "whether each request has a line in the log",
      isReloadable: true),
    Setting(
      name: "memory.lock", kind: .text(\.memoryLock, choices: ["preferred", "required"]),
      summary: "whether memory with digits must be locked: preferred or required"),
    Setting(
      name: "metrics.access", kind: .text(\.metricsAccess, choices: MetricsAccess.allCases.map(\.rawValue)),
      summary: "who may read the metrics: anyone, loopback or key (an API key)", isReloadable: true),
    Setting(
      name: "page.contentSecurityPolicy", kind: .text(\.pagePolicy),
      summary: "the page's Content-Security-Policy; empty: one that allows what it needs", isReloadable: true),
    Setting(
      name: "page.frameAncestors", kind: .list(\.frameAncestors),
      summary: "origins of pages that may have the page in a frame, or self", isReloadable: true),
    Setting(
      name: "proxies", kind: .list(\.proxies),
      summary: "addresses and ranges of proxies whose X-Forwarded-For is believed, or unix", isReloadable: true),
    Setting(
      name: "rates.creations", kind: .number(\.creationsPerMinute, 0...1_000_000),
      summary: "sessions that one address may create in a minute, loopback excepted; 0: any number",
      isReloadable: true),
    Setting(
      name: "rates.wrongTokens", kind: .number(\.wrongTokensPerMinute, 0...1_000_000),
      summary: "wrong tokens in a minute after which a session answers others 429; 0: any number", isReloadable: true),
    Setting(
      name: "redis.allowLoss", kind: .flag(\.redisAllowLoss),
      summary: "use a Redis that may lose sessions without a word: one that evicts, has no append-only file, or has "
        + "only sessions that no key of the file opens"),
    Setting(
      name: "redis.connections", kind: .number(\.redisConnections, 1...1024),
      summary: "how many requests may ask Redis at a time, each on a thread and a connection of its own"),
    Setting(
      name: "redis.keyFile", kind: .text(\.redisKeyFile),
      summary: "a file of the keys that all nodes share, 64 hexadecimal digits a line, the current one first"),
    Setting(
      name: "redis.patience", kind: .number(\.redisPatience, 10...10_000),
      summary: "ms that Redis may take for a reply before it counts as away, and that a request may wait for its turn "
        + "to ask; all that it needs of Redis may take three times as long"),
    Setting(
      name: "sessions.maximum", kind: .number(\.sessions, 1...100_000_000),
      summary: "sessions, closed ones that still answer among them; with a Redis those made by this node"),
    Setting(
      name: "store", kind: .text(\.store),
      summary: "memory, or redis://, redis+unix://, redis+sentinel:// or redis+cluster:// with an address"),
    Setting(
      name: "streams.maximum", kind: .number(\.streams, 0...1_000_000),
      summary: "open streams and waits; 0: up to 100000, from the limit of open files"),
    Setting(
      name: "streams.perAddress", kind: .number(\.streamsPerAddress, 0...1_000_000),
      summary: "open streams and waits of one address; 0: a sixteenth of them"),
    Setting(
      name: "styles.directory", kind: .text(\.stylesDirectory),
      summary: "a directory of NAME.json files that add styles or override them", isReloadable: true),
    Setting(
      name: "watch.grid", kind: .number(\.watchGrid, 0...10_000),
      summary: "ms between the points in time at which those who watch see what has happened; 0: at once"),
    Setting(
      name: "workers", kind: .number(\.workers, 0...64),
      summary: "threads that read requests, and answer those that don't ask Redis; 0: 2"),
  ]
}
