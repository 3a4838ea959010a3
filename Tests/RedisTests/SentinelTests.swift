import SessionStore
import Testing

/// A master with a replica, and a sentinel that replaces the one by the other.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SentinelTests {
  private let master: RedisServer
  private let replica: RedisServer
  private let sentinel: RedisServer
  private let address: RedisAddress
  private let lines = Lines()

  init() throws {
    let master = try RedisServer(.tcp)
    let port = try #require(master.port)
    self.master = master
    replica = try RedisServer(.tcp, options: ["--replicaof", "127.0.0.1", "\(port)"])
    let connection = try master.connect()
    // A replica that has nothing yet can't take over.
    try waitUntil { try connection.command(["WAIT", "1", "1000"]).integer == 1 }
    sentinel = try RedisServer.sentinel(of: master, named: "pins")
    // The first of the two isn't there.
    address = try RedisAddress("redis+sentinel://127.0.0.1:\(try FreePort.find()),\(sentinel.endpoint)/pins/2")
  }

  @Test func `a replica that takes over when the master is gone is used from then on`() throws {
    let lines = lines
    let link = try RedisLink(address, milliseconds: 1000) { lines.add($0) }
    #expect(link.send("SET", "a", "1") == .text("OK"))
    // On the connection that wrote.
    try waitUntil { try link.command(["WAIT", "1", "500"], at: RedisSlot(0)).integer == 1 }
    master.kill()
    try waitUntil { link.send("SET", "b", "2") == .text("OK") }
    #expect(lines.all.count { $0.hasPrefix("redis is down") } >= 1)
    let second = try replica.connect(RedisLogin(database: 2))
    #expect(try second.command(["ROLE"]).withValue { $0[0]?.text } == "master")
    #expect(try second.command(["MGET", "a", "b"]).withValue { $0.elements.map(\.text) } == ["1", "2"])
    // The old one is a master when it starts, and nobody writes to it.
    try master.start()
    for number in 0..<100 { #expect(link.send("SET", "c", "\(number)") == .text("OK")) }
    #expect(try second.command(["GET", "c"]).text == "99")
  }

  @Test func `the link follows when a master that is well is replaced`() throws {
    let lines = lines
    let link = try RedisLink(address, milliseconds: 1000) { lines.add($0) }
    let subscriber = RedisSubscriber(link) { channel, message in
      lines.add("\(String(decoding: channel, as: UTF8.self)): \(message == nil ? "begins" : "message")")
    }
    subscriber.subscribe("a")
    #expect(lines.wait(for: "a: begins"))
    try replaceMaster()
    // Connections are closed by it.
    try waitUntil {
      (try? replica.connect().command(["ROLE"]).withValue { $0[0]?.text }) == "master"
    }
    let second = try replica.connect(RedisLogin(database: 2))
    // The old one takes writes for a moment longer, which are lost.
    try waitUntil {
      _ = link.send("SET", "b", "2")
      return try second.command(["GET", "b"]).text == "2"
    }
    #expect(link.send("GET", "b") == .text("2"))
    // It may have been lost more than once meanwhile.
    #expect(lines.wait(for: "a: begins", times: 2))
    try waitUntil { try second.command(["PUBLISH", "a", "x"]).integer != 0 }
    #expect(lines.wait(for: "a: message"))
  }

  @Test func `a name that no sentinel knows is said to, and so is that there is no sentinel`() throws {
    let port = try FreePort.find()
    #expect(
      unavailable { _ = try RedisLink(RedisAddress("redis+sentinel://\(sentinel.endpoint)/others")) }
        == "\(sentinel.endpoint): knows no master others")
    #expect(
      unavailable { _ = try RedisLink(RedisAddress("redis+sentinel://127.0.0.1:\(port)/pins")) }
        == "127.0.0.1:\(port): Connection refused")
    let server = try RedisServer(.tcp)
    #expect(
      misconfigured { _ = try RedisLink(RedisAddress("redis+sentinel://\(server.endpoint)/pins")) }
        == "\(server.endpoint): is no sentinel: give redis:// as its address")
  }

  @Test func `a sentinel that ends is no trouble while the master is well`() throws {
    let lines = lines
    let link = try RedisLink(address, milliseconds: 1000) { lines.add($0) }
    sentinel.kill()
    // It is asked every second.
    #expect(lines.wait(for: "sentinels can't be asked"))
    #expect(link.send("SET", "a", "1") == .text("OK"))
    #expect(!lines.all.contains { $0.hasPrefix("redis is down") })
  }

  /// As soon as the sentinel knows the replica.
  private func replaceMaster() throws {
    let connection = try sentinel.connect()
    try waitUntil { failure { _ = try connection.command(["SENTINEL", "FAILOVER", "pins"]) } == nil }
  }
}
