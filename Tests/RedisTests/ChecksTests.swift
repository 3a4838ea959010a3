import SessionStore
import Testing

/// What is said of servers before they are used.
@Suite(.timeLimit(.minutes(5))) struct ChecksTests {
  @Test func `a server that keeps everything is taken`() throws {
    let server = try RedisServer(options: ["--appendonly", "yes"])
    let found = try RedisChecks.run(server.link(), allowLoss: false)
    #expect(found.hasPrefix("\(server.endpoint): redis "))
    #expect(found.hasSuffix(", noeviction, append-only file, replicas: 0"))
  }

  @Test func `a server without an append-only file is refused, unless loss is allowed`() throws {
    let server = try RedisServer(options: ["--save", "60 1"])
    let link = try server.link()
    let failure = RedisChecks.Failure.objections(server.endpoint, [.persistence])
    #expect(throws: failure) { _ = try RedisChecks.run(link, allowLoss: false) }
    #expect(failure.description.contains("set appendonly to yes"))
    #expect(try RedisChecks.run(link, allowLoss: true).contains("no append-only file"))
  }

  @Test func `a server that evicts is refused, unless loss is allowed`() throws {
    let server = try RedisServer(options: ["--maxmemory-policy", "volatile-lru"])
    let link = try server.link()
    let failure = RedisChecks.Failure.objections(server.endpoint, [.eviction("volatile-lru"), .persistence])
    #expect(throws: failure) { _ = try RedisChecks.run(link, allowLoss: false) }
    #expect(failure.description.contains("maxmemory-policy is volatile-lru"))
    #expect(try RedisChecks.run(link, allowLoss: true).contains("volatile-lru"))
  }

  @Test func `a node of a cluster is refused where one server is expected`() throws {
    // Its own choice of a second port is 10,000 above the first, which may be too high.
    let busPort = try FreePort.find()
    let server = try RedisServer(
      .tcp, options: ["--cluster-enabled", "yes", "--cluster-port", "\(busPort)", "--appendonly", "yes"])
    let link = try server.link()
    #expect(throws: RedisChecks.Failure.objections(server.endpoint, [.cluster])) {
      _ = try RedisChecks.run(link, allowLoss: true)
    }
    // Such a one has no databases to choose from.
    let refusal = misconfigured { _ = try RedisLink(RedisAddress("redis://\(server.endpoint)/1")) }
    #expect(try #require(refusal).contains("SELECT is not allowed in cluster mode"))
  }

  @Test func `that a server does not answer is no mistake in the configuration`() throws {
    let server = try RedisServer(options: ["--appendonly", "yes"])
    let link = try server.link(milliseconds: 1000)
    server.hang()
    defer { server.goOn() }
    #expect(throws: RedisError.self) { _ = try RedisChecks.run(link, allowLoss: false) }
  }

  @Test func `a user who may not ask is told of`() throws {
    let server = try RedisServer(options: ["--user", "default", "on", "nopass", "~*", "&*", "+@all", "-info"])
    let link = try server.link()
    #expect(throws: RedisChecks.Failure.self) { _ = try RedisChecks.run(link, allowLoss: true) }
  }

  @Test(arguments: [
    ("redis_version:6.2.14\r\n", "redis 6.2.14 is too old: Redis 7.0 or Valkey is needed"),
    ("redis_version:7.0.0\r\n", nil),
    ("redis_version:10.1.0\r\n", nil),
    ("# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\n", nil),
    ("", "redis  is too old: Redis 7.0 or Valkey is needed"),
  ])
  func `the version counts`(_ info: String, _ objection: String?) {
    let objections = RedisFindings(info: info).objections(isCluster: false, allowLoss: true)
    #expect(objections.map(\.description) == [objection].compactMap { $0 })
  }
}
