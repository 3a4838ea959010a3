import Glibc
import Testing
import WipingBuffer

@testable import PINService

@Suite struct ConfigurationTests {
  private func read(
    file: String? = nil, environment: [(name: String, value: String)] = [], listen: String? = nil
  ) -> ConfigurationReader {
    var reader = ConfigurationReader()
    if let file { reader.readFile(Array(file.utf8), named: "pinpad.json") }
    reader.readEnvironment(Environment(environment))
    if let listen { reader.readListen(listen) }
    reader.finish()
    return reader
  }

  private func text(of configuration: Configuration) -> String {
    var text = Bytes()
    configuration.write(to: &text)
    return text.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// A file of the repository.
  private func file(_ path: String) -> String {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    guard let stream = fopen(parts.joined(separator: "/") + "/" + path, "r") else { return "" }
    defer { fclose(stream) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&bytes, 1, bytes.count, stream)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  @Test func `the file in Config is every setting with its default`() {
    let text = file("Config/pinpad.json")
    #expect(text == self.text(of: Configuration()))
    let reader = read(file: text)
    #expect(reader.mistakes == [])
    #expect(reader.configuration == Configuration())
  }

  @Test func `each setting can be set in the file and in the environment alike`() {
    let file = #"""
      {"listen":"[::1]:0","allowAnyoneToCreate":true,"allowedHosts":["a.example","b.example"],
       "apiKeys":["0123456789abcdef"],"apiKeysFile":"keys",
       "connections":{"idleSeconds":1,"maximum":2,"perAddress":8,"requestSeconds":3},
       "cors":{"allowedOrigins":["https://a.example"]},
       "comeBackSeconds":8,"drainSeconds":4,"log":{"level":"error","requests":true},"memory":{"lock":"required"},
       "metrics":{"access":"anyone"},"proxies":["10.0.0.0/8","unix"],
       "rates":{"creations":11,"wrongTokens":12},
       "page":{"contentSecurityPolicy":"default-src *","frameAncestors":["self"]},
       "redis":{"allowLoss":true,"connections":7,"keyFile":"ring","patience":99},
       "sessions":{"maximum":5},"store":"redis://:secret@a.example","streams":{"maximum":6,"perAddress":9},
       "styles":{"directory":"styles"},"watch":{"grid":9},"workers":7}
      """#
    let environment = [
      ("PINPAD_LISTEN", "[::1]:0"), ("PINPAD_ALLOW_ANYONE_TO_CREATE", "true"),
      ("PINPAD_ALLOWED_HOSTS", "a.example, b.example"), ("PINPAD_API_KEYS", "0123456789abcdef"),
      ("PINPAD_API_KEYS_FILE", "keys"), ("PINPAD_CONNECTIONS_IDLE_SECONDS", "1"), ("PINPAD_CONNECTIONS_MAXIMUM", "2"),
      ("PINPAD_RATES_CREATIONS", "11"), ("PINPAD_RATES_WRONG_TOKENS", "12"),
      ("PINPAD_METRICS_ACCESS", "anyone"), ("PINPAD_PROXIES", "10.0.0.0/8,unix"),
      ("PINPAD_CONNECTIONS_PER_ADDRESS", "8"), ("PINPAD_STREAMS_PER_ADDRESS", "9"),
      ("PINPAD_CONNECTIONS_REQUEST_SECONDS", "3"), ("PINPAD_CORS_ALLOWED_ORIGINS", "https://a.example"),
      ("PINPAD_COME_BACK_SECONDS", "8"), ("PINPAD_DRAIN_SECONDS", "4"), ("PINPAD_LOG_LEVEL", "error"),
      ("PINPAD_LOG_REQUESTS", "true"),
      ("PINPAD_PAGE_CONTENT_SECURITY_POLICY", "default-src *"), ("PINPAD_PAGE_FRAME_ANCESTORS", "self"),
      ("PINPAD_REDIS_ALLOW_LOSS", "true"), ("PINPAD_REDIS_CONNECTIONS", "7"),
      ("PINPAD_REDIS_KEY_FILE", "ring"), ("PINPAD_REDIS_PATIENCE", "99"),
      ("PINPAD_STORE", "redis://:secret@a.example"),
      ("PINPAD_MEMORY_LOCK", "required"), ("PINPAD_SESSIONS_MAXIMUM", "5"),
      ("PINPAD_STREAMS_MAXIMUM", "6"), ("PINPAD_STYLES_DIRECTORY", "styles"), ("PINPAD_WATCH_GRID", "9"),
      ("PINPAD_WORKERS", "7"),
    ]
    #expect(environment.map(\.0).sorted() == Setting.all.map(\.variable).sorted())
    let fromFile = read(file: file)
    let fromEnvironment = read(environment: environment)
    #expect(fromFile.mistakes == [])
    #expect(fromEnvironment.mistakes == [])
    #expect(fromFile.configuration == fromEnvironment.configuration)
    // Each is another than the default, so that none can have been passed over.
    let changed = zip(
      text(of: fromFile.configuration).split(separator: "\n"), text(of: Configuration()).split(separator: "\n"))
    for (line, standard) in changed where line.contains(":") && !line.hasSuffix("{") { #expect(line != standard) }
  }

  @Test func `a flag comes before the environment, that before the file, that before the default`() {
    let file = #"{"listen":"127.0.0.1:1","workers":3}"#
    #expect(read().configuration.listen == "127.0.0.1:8080")
    #expect(read(file: file).configuration.listen == "127.0.0.1:1")
    let environment = [(name: "PINPAD_LISTEN", value: "127.0.0.1:2")]
    #expect(read(file: file, environment: environment).configuration.listen == "127.0.0.1:2")
    let reader = read(file: file, environment: environment, listen: "127.0.0.1:3")
    #expect(reader.configuration.listen == "127.0.0.1:3")
    #expect(reader.configuration.workers == 3)
  }

  @Test func `a Redis needs its address and a file of keys, and its password is not shown`() {
    #expect(
      read(environment: [("PINPAD_STORE", "postgres://a.example")]).mistakes == [
        "PINPAD_STORE: is not memory, redis://, redis+unix://, redis+sentinel:// or redis+cluster://",
        "redis.keyFile: is needed with a Redis: a file with 64 hexadecimal digits, the same for all nodes "
          + "(store is from PINPAD_STORE, redis.keyFile is the default)",
      ])
    let reader = read(
      environment: [("PINPAD_STORE", "redis://u:secret@a.example:7000/2"), ("PINPAD_REDIS_KEY_FILE", "ring")])
    #expect(reader.mistakes == [])
    #expect(text(of: reader.configuration).contains("\n  \"store\": \"redis://u:***@a.example:7000/2\",\n"))
    #expect(reader.configuration.waiterCount == 64)
    #expect(Configuration().waiterCount == 0)
  }

  @Test func `all mistakes are named at once`() {
    let reader = read(
      file:
        #"{"wrokers":1,"workers":-1,"sessions":{"minimum":1,"maximum":"many"},"memory":{"lock":"maybe"},"cors":[]}"#,
      environment: [("PINPAD_STREAMS_MAXIMUM", "-1"), ("PINPAD_DEBUG", "1"), ("PATH", "/bin")], listen: "here")
    #expect(
      reader.mistakes == [
        "pinpad.json: wrokers: there is no such setting",
        "pinpad.json: workers: is not a whole number from 0 to 64",
        "pinpad.json: sessions.minimum: there is no such setting",
        "pinpad.json: sessions.maximum: is not a whole number from 1 to 100000000",
        "pinpad.json: memory.lock: is not one of preferred, required",
        "pinpad.json: cors: there is no such setting",
        "PINPAD_STREAMS_MAXIMUM: is not a whole number from 0 to 1000000",
        "PINPAD_DEBUG: there is no such setting",
        "--listen: here: is not HOST:PORT, [IPV6]:PORT or unix:PATH, of 107 bytes at most",
      ])
  }

  @Test func `the path of a socket is no longer than the system takes`() {
    let longest = "unix:/" + String(repeating: "a", count: 106)
    #expect(read(listen: longest).mistakes == [])
    #expect(read(listen: longest + "a").mistakes.count == 1)
    #expect(read(listen: "unix:").mistakes.count == 1)
  }

  @Test func `what Kubernetes says of a Service that is called pinpad is no setting`() {
    let service = [
      ("PINPAD_SERVICE_HOST", "10.0.0.9"), ("PINPAD_SERVICE_PORT", "80"), ("PINPAD_SERVICE_PORT_HTTP", "80"),
      ("PINPAD_PORT", "tcp://10.0.0.9:80"), ("PINPAD_PORT_80_TCP", "tcp://10.0.0.9:80"),
      ("PINPAD_PORT_80_TCP_PROTO", "tcp"), ("PINPAD_PORT_80_TCP_PORT", "80"), ("PINPAD_PORT_80_TCP_ADDR", "10.0.0.9"),
    ]
    let reader = read(environment: service)
    #expect(reader.mistakes == [])
    #expect(reader.configuration == Configuration())
    #expect(Setting.all.filter { Environment.isKubernetes($0.variable) }.map(\.name) == [])
  }

  @Test(arguments: ["PINPAD_SERVICE", "PINPAD_SERVICES_HOST", "PINPAD_PORTS", "PINPAD_API_SERVICE_HOST", "PINPAD_HOST"])
  func `a variable that is like those of Kubernetes is a mistake`(_ name: String) {
    #expect(read(environment: [(name, "80")]).mistakes == ["\(name): there is no such setting"])
  }

  @Test func `a mistake that shows only in the end names where it was made as well`() {
    let file = #"""
      {"listen":"here","proxies":["a.example","10.0.0.0/8"],"cors":{"allowedOrigins":["b.example"]},
       "page.frameAncestors":["c.example"],"page":{"contentSecurityPolicy":"é"},"store":"nowhere","redis.keyFile":"ring"}
      """#
    #expect(
      read(file: file).mistakes == [
        "pinpad.json: store: is not memory, redis://, redis+unix://, redis+sentinel:// or redis+cluster://",
        "pinpad.json: cors.allowedOrigins: b.example: is not an origin like https://example.com",
        "pinpad.json: page.frameAncestors: c.example: is neither self nor an origin like https://example.com",
        "pinpad.json: page.contentSecurityPolicy: has a character that is not visible ASCII",
        "pinpad.json: proxies: a.example: is not an address, a range like 10.0.0.0/8 (zero after its 8 bits), or unix",
        "pinpad.json: listen: here: is not HOST:PORT, [IPV6]:PORT or unix:PATH, of 107 bytes at most",
      ])
    #expect(
      read(file: file, environment: [("PINPAD_PROXIES", "d.example")], listen: "127.0.0.1:0").mistakes.last
        == "PINPAD_PROXIES: d.example: is not an address, a range like 10.0.0.0/8 (zero after its 8 bits), or unix")
  }

  @Test(arguments: [
    ("127.0.0.1:8080", ListenAddress.tcp(host: "127.0.0.1", port: 8080), true),
    ("127.9.9.9:0", .tcp(host: "127.9.9.9", port: 0), true),
    ("localhost:1", .tcp(host: "localhost", port: 1), true),
    ("[::1]:0", .tcp(host: "::1", port: 0), true),
    ("unix:/run/pinpad.sock", .unix(path: "/run/pinpad.sock"), true),
    ("0.0.0.0:8080", .tcp(host: "0.0.0.0", port: 8080), false),
    ("[::]:8080", .tcp(host: "::", port: 8080), false),
    ("pinpad.example:80", .tcp(host: "pinpad.example", port: 80), false),
    ("127.0.0.1.example:80", .tcp(host: "127.0.0.1.example", port: 80), false),
  ])
  func `an address is read, and known to be local or not`(_ text: String, _ address: ListenAddress, _ isLocal: Bool) {
    #expect(ListenAddress(text) == address)
    #expect(ListenAddress(text)?.isLocal == isLocal)
  }

  @Test(arguments: [
    "", "8080", ":8080", "localhost", "localhost:", "localhost:65536", "localhost:-1", "::1:80", "[::1]", "unix:",
  ])
  func `what is no address is refused`(_ text: String) {
    #expect(ListenAddress(text) == nil)
  }

  @Test func `others reach it with keys, or when that is asked for by name`() {
    let open = "0.0.0.0:8080"
    #expect(
      read(listen: open).mistakes == [
        ConfigurationReader.refusal(toListenAt: open)
          + " (listen is from --listen, allowAnyoneToCreate is the default, apiKeys is the default)"
      ])
    #expect(read(environment: [("PINPAD_API_KEYS", "0123456789abcdef")], listen: open).mistakes == [])
    #expect(read(environment: [("PINPAD_ALLOW_ANYONE_TO_CREATE", "true")], listen: open).mistakes == [])
  }

  @Test func `settings that contradict each other are named with the places where they were set`() {
    #expect(
      read(
        file: #"{"listen":"0.0.0.0:8080","apiKeysFile":"","metrics":{"access":"anyone"}}"#,
        environment: [("PINPAD_METRICS_ACCESS", "key"), ("PINPAD_ALLOW_ANYONE_TO_CREATE", "false")]
      ).mistakes == [
        "metrics.access: key: there are no API keys (metrics.access is from PINPAD_METRICS_ACCESS, "
          + "apiKeys is the default, apiKeysFile is from pinpad.json)",
        ConfigurationReader.refusal(toListenAt: "0.0.0.0:8080")
          + " (listen is from pinpad.json, allowAnyoneToCreate is from PINPAD_ALLOW_ANYONE_TO_CREATE, "
          + "apiKeys is the default, apiKeysFile is from pinpad.json)",
      ])
  }

  @Test(arguments: [
    (#"{"watch.grid":500,"watch":{"grid":100}}"#, #"as "watch.grid" and as "watch": {"grid"}"#),
    (#"{"watch":{"grid":500},"watch.grid":500}"#, #"as "watch": {"grid"} and as "watch.grid""#),
  ])
  func `a setting that a file has in both its forms is a mistake`(_ file: String, _ both: String) {
    #expect(read(file: file).mistakes == ["pinpad.json: watch.grid: is there twice, \(both)"])
  }

  @Test func `no mistake and no print shows a key`() {
    let reader = read(environment: [("PINPAD_API_KEYS", "short-secret,0123456789abcdef,with space in it ok")])
    #expect(reader.mistakes.count == 2)
    let shown = reader.mistakes.joined() + text(of: reader.configuration)
    for secret in ["secret", "0123456789", "space"] { #expect(!shown.contains(secret)) }
    #expect(text(of: reader.configuration).contains(#""apiKeys": ["***"]"#))
  }

  @Test func `a grid for watchers and metrics for anyone are a warning`() {
    #expect(read(environment: [("PINPAD_WATCH_GRID", "500")]).configuration.warnings == [])
    #expect(read(environment: [("PINPAD_METRICS_ACCESS", "anyone")]).configuration.warnings == [])
    let both = read(environment: [("PINPAD_WATCH_GRID", "500"), ("PINPAD_METRICS_ACCESS", "anyone")])
    #expect(both.mistakes == [])
    #expect(
      both.configuration.warnings
        == ["metrics.access: anyone: its counts tell when keys are pressed, which watch.grid is to hide"])
  }

  @Test func `a proxy without API keys is a warning`() {
    let proxies = ("PINPAD_PROXIES", "127.0.0.1")
    let said = "proxies, but no apiKeys: whoever reaches a proxy may create sessions"
    #expect(read(environment: [proxies]).configuration.warnings == [said])
    #expect(read(environment: [proxies, ("PINPAD_API_KEYS", "0123456789abcdef")]).configuration.warnings == [])
    #expect(read(environment: [proxies, ("PINPAD_ALLOW_ANYONE_TO_CREATE", "true")]).configuration.warnings == [])
  }

  @Test func `a file of keys has one a line`() {
    var reader = read(environment: [("PINPAD_API_KEYS", "0123456789abcdef")])
    reader.readKeys("# old\nfedcba9876543210\r\n\n  0011223344556677  \n")
    #expect(
      reader.configuration.apiKeys == ["0123456789abcdef", "fedcba9876543210", "0011223344556677"].map { APIKey($0) })
  }

  @Test(arguments: ["", "\n", " \n\t\r\n", "# 0123456789abcdef\n"])
  func `a file of keys without a key is a mistake`(_ text: String) {
    var reader = read(file: #"{"apiKeys":["0123456789abcdef"],"apiKeysFile":"keys"}"#)
    reader.readKeys(text)
    #expect(reader.mistakes == ["pinpad.json: apiKeysFile: keys: has no key"])
  }

  @Test func `a mistake in a file of keys names the file, and where that was named`() {
    var reader = read(environment: [("PINPAD_API_KEYS_FILE", "keys")])
    reader.readKeys("0123456789abcdef\nshort")
    #expect(
      reader.mistakes == [
        "PINPAD_API_KEYS_FILE: keys: key 2 has fewer than 16 characters, or one that is not visible ASCII"
      ])
  }

  @Test func `where keys can't be used it is no other mistake that there are none`() {
    let listen = ("PINPAD_LISTEN", "0.0.0.0:8080")
    let access = ("PINPAD_METRICS_ACCESS", "key")
    let reader = read(environment: [listen, access, ("PINPAD_API_KEYS", "a,b")])
    let detail = "has fewer than 16 characters, or one that is not visible ASCII"
    #expect(reader.mistakes == ["PINPAD_API_KEYS: key 1 \(detail)", "PINPAD_API_KEYS: key 2 \(detail)"])
    var other = ConfigurationReader()
    other.readEnvironment(Environment([listen, access, ("PINPAD_API_KEYS_FILE", "keys")]))
    other.failKeysFile("keys: Permission denied")
    other.finish()
    #expect(other.mistakes == ["PINPAD_API_KEYS_FILE: keys: Permission denied"])
    #expect(read(environment: [listen, access]).mistakes.count == 2)
  }

  @Test(arguments: [("PINPAD_API_KEYS", ""), ("PINPAD_API_KEYS", " , "), ("PINPAD_API_KEYS_FILE", "")])
  func `an empty variable of keys does not take those of the file away`(_ name: String, _ value: String) {
    let file = #"{"apiKeys":["0123456789abcdef"],"apiKeysFile":"keys"}"#
    #expect(
      read(file: file, environment: [(name, value)]).mistakes == [
        "\(name): is empty: unset it if there are to be no API keys"
      ])
  }

  @Test func `a file that says that there are no keys is right, as that is the default`() {
    #expect(read(file: #"{"apiKeys":[],"apiKeysFile":""}"#).mistakes == [])
  }

  @Test(arguments: ["https://a.example", "http://localhost:3000"])
  func `an origin is a scheme and an authority`(_ origin: String) {
    #expect(read(environment: [("PINPAD_CORS_ALLOWED_ORIGINS", origin)]).mistakes == [])
  }

  @Test(arguments: ["*", "a.example", "https://", "https://a.example/", "https://a.example/path", "null"])
  func `what is no origin is refused`(_ origin: String) {
    #expect(
      read(environment: [("PINPAD_CORS_ALLOWED_ORIGINS", origin)]).mistakes == [
        "PINPAD_CORS_ALLOWED_ORIGINS: \(origin): is not an origin like https://example.com"
      ])
  }

  @Test(arguments: ["*", "'self'", "a.example", "https://a.example;script-src", "https://a.example/"])
  func `what can be no frame's page is refused`(_ ancestor: String) {
    #expect(
      read(environment: [("PINPAD_PAGE_FRAME_ANCESTORS", ancestor)]).mistakes == [
        "PINPAD_PAGE_FRAME_ANCESTORS: \(ancestor): is neither self nor an origin like https://example.com"
      ])
  }

  @Test func `a policy is one line of ASCII`() {
    #expect(
      read(environment: [("PINPAD_PAGE_CONTENT_SECURITY_POLICY", "default-src 'self'; img-src *")]).mistakes == [])
    for policy in ["default-src 'self'\r\nSet-Cookie: a=b", "default-src é"] {
      #expect(
        read(environment: [("PINPAD_PAGE_CONTENT_SECURITY_POLICY", policy)]).mistakes == [
          "PINPAD_PAGE_CONTENT_SECURITY_POLICY: has a character that is not visible ASCII"
        ])
    }
  }
}
