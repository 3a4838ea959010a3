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
  }

  @Test func `a user who may not ask is told of`() throws {
    let server = try RedisServer(options: ["--user", "default", "on", "nopass", "~*", "&*", "+@all", "-info"])
    let link = try server.link()
    #expect(throws: RedisChecks.Failure.self) { _ = try RedisChecks.run(link, allowLoss: true) }
  }

  @Test(arguments: [
    ("maxmemory:0\r\nused_memory:5\r\n", false),
    ("maxmemory:5\r\nused_memory:5\r\n", false),
    ("maxmemory:5\r\nused_memory:6\r\n", true),
    // What it has to write to its file or to its replicas yet does not count.
    ("maxmemory:5\r\nused_memory:6\r\nmem_not_counted_for_evict:1\r\n", false),
    ("maxmemory:5\r\nused_memory:7\r\nmem_not_counted_for_evict:1\r\n", true),
    ("", false),
  ])
  func `a server is full when it has more than it may`(_ info: String, _ isFull: Bool) {
    #expect(RedisFindings(info: "# Memory\r\n" + info).isFull == isFull)
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
