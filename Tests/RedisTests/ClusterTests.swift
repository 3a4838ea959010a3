import SessionStore
import TestSupport
import Testing

/// A cluster of three, with keys that move and nodes that go.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ClusterTests {
  private let cluster: RedisCluster

  init() throws { cluster = try RedisCluster() }

  @Test func `each key is written to and read from the node that has it, with one call each`() throws {
    let link = try RedisLink(cluster.address, milliseconds: 10_000)
    for number in 0..<300 { #expect(link.send("SET", "key-\(number)", "\(number)") == .text("OK")) }
    for number in 0..<300 { #expect(link.send("GET", "key-\(number)") == .text("\(number)")) }
    for node in cluster.nodes {
      let connection = try node.connect()
      #expect(try #require(try connection.command(["DBSIZE"]).integer) > 50)
      #expect(try connection.command(["INFO", "errorstats"]).text?.contains("MOVED") == false)
    }
  }

  @Test func `a slot that is moved under load loses no call and doubles none`() throws {
    let link = try RedisLink(cluster.address, milliseconds: 10_000)
    // Two keys of each of twenty pairs in one slot, raised together.
    let slot = RedisSlot(key: "{pins}")
    let from = try owner()
    let to = try #require(cluster.nodes.first { $0 !== from })
    let script = RedisScript("return {redis.call('INCR', KEYS[1]), redis.call('INCR', KEYS[2])}")
    let counts = Locked(Array(repeating: 0, count: 20))
    let wrong = Locked<[String]>([])
    let isMoved = Locked(false)
    @Sendable func raise(_ pair: Int) {
      do {
        let values = try link.eval(
          script, keys: [.text("{pins}a\(pair)"), .text("{pins}b\(pair)")], arguments: [], at: slot
        ).withValue { $0.elements.map(\.integer) }
        let count = counts.withLock { counts in
          counts[pair] += 1
          return Int64(counts[pair])
        }
        if values != [count, count] { wrong.withLock { $0.append("\(values) is not \(count)") } }
      } catch {
        wrong.withLock { $0.append("\(error)") }
      }
    }
    for pair in 0..<20 { raise(pair) }
    let cluster = cluster
    inParallel(threads: 5) { thread in
      guard thread < 4 else {
        do {
          try cluster.move(slot, from: from, to: to)
          try cluster.move(slot, from: to, to: from)
        } catch {
          wrong.withLock { $0.append("the move: \(error)") }
        }
        return isMoved.withLock { $0 = true }
      }
      // Each pair belongs to one thread, so that its count is known.
      while !isMoved.withLock({ $0 }) { for pair in stride(from: thread, to: 20, by: 4) { raise(pair) } }
    }
    #expect(wrong.withLock { $0 } == [])
    for pair in 0..<20 {
      #expect(link.send("GET", "{pins}b\(pair)") == .text("\(counts.withLock { $0[pair] })"))
    }
  }

  @Test func `a key that has gone ahead is asked for where it is, and the slot's owner stays the same`() throws {
    let link = try RedisLink(cluster.address, milliseconds: 10_000)
    let slot = RedisSlot(key: "{pins}")
    let from = try owner()
    let to = try #require(cluster.nodes.first { $0 !== from })
    for number in 0..<10 { #expect(link.send("SET", "{pins}\(number)", "\(number)") == .text("OK")) }
    let script = RedisScript("return redis.call('GET', KEYS[1])")
    try cluster.move(slot, from: from, to: to) {
      for number in 0..<10 {
        // Pipelines and scripts too, of which the other node knows no text yet.
        #expect(link.send("GET", "{pins}\(number)") == .text("\(number)"))
        let key = RedisArgument.text("{pins}\(number)")
        #expect(try link.eval(script, keys: [key], arguments: [], at: slot).text == "\(number)")
        let both = try link.pipeline([["GET", key], ["STRLEN", key]], at: slot)
        both.withValues { values in
          #expect(values.map(\.text) == ["\(number)", nil])
          #expect(values.map(\.integer) == [nil, 1])
        }
      }
    }
    let asked = try from.connect().command(["INFO", "errorstats"]).text ?? ""
    #expect(asked.contains("errorstat_ASK"))
    #expect(link.send("GET", "{pins}1") == .text("1"))
  }

  @Test func `a node that hangs holds up only those who want its keys`() throws {
    let lines = Lines()
    let link = try RedisLink(cluster.address, milliseconds: 1000) { lines.add($0) }
    let (first, second) = (try someKey(on: cluster.nodes[0]), try someKey(on: cluster.nodes[1]))
    #expect(link.send("SET", first, "1") == .text("OK"))
    #expect(link.send("SET", second, "2") == .text("OK"))
    cluster.nodes[0].hang()
    #expect(link.send("GET", first) == .failed(.replyLost))
    for _ in 0..<1000 { #expect(link.send("GET", first).isUnavailable) }
    cluster.nodes[0].goOn()
    // The others may have taken it for gone, and all keys with it.
    try waitUntil { link.send("GET", first) == .text("1") && link.send("GET", second) == .text("2") }
    #expect(lines.all.first?.contains("\(cluster.nodes[0].endpoint): no reply") == true)
  }

  @Test func `a replica that takes over is found`() throws {
    let replica = try cluster.addReplica()
    let lines = Lines()
    let link = try RedisLink(cluster.address, milliseconds: 1000) { lines.add($0) }
    let key = try someKey(on: cluster.nodes[0])
    #expect(link.send("SET", key, "1") == .text("OK"))
    try waitUntil { try link.command(["WAIT", "1", "500"], at: RedisSlot(key: key)).integer == 1 }
    cluster.nodes[0].kill()
    try waitUntil { link.send("GET", key) == .text("1") }
    #expect(link.send("SET", key, "2") == .text("OK"))
    #expect(try replica.connect().command(["GET", .text(key)]).text == "2")
    #expect(lines.wait(for: "redis is up again"))
  }

  @Test func `what is published on one node is heard from another`() throws {
    let link = try RedisLink(cluster.address, milliseconds: 10_000)
    let lines = Lines()
    let subscriber = RedisSubscriber(link) { channel, message in
      lines.add("\(String(decoding: channel, as: UTF8.self)): \(message == nil ? "begins" : "message")")
    }
    subscriber.subscribe("a")
    #expect(lines.wait(for: "a: begins"))
    for node in cluster.nodes { _ = try node.connect().command(["PUBLISH", "a", "x"]) }
    #expect(lines.wait(for: "a: message", times: 3))
  }

  @Test func `a password that a cluster does not know is said to be refused`() throws {
    let port = try #require(cluster.nodes[0].port)
    for host in ["127.0.0.1", "localhost"] {
      #expect(
        misconfigured { _ = try RedisLink(RedisAddress("redis+cluster://other:wrong@\(host):\(port)")) }?
          .hasPrefix("\(host):\(port): refuses the user or the password: WRONGPASS") == true)
    }
  }

  @Test func `a server that is no cluster is said to be none`() throws {
    let server = try RedisServer(.tcp)
    #expect(
      misconfigured { _ = try RedisLink(RedisAddress("redis+cluster://\(server.endpoint)")) }
        == "\(server.endpoint): is no cluster: give redis:// as its address")
  }

  /// Who has the slot of `{pins}`.
  private func owner() throws -> RedisServer {
    for node in cluster.nodes {
      let connection = try node.connect()
      if failure({ _ = try connection.command(["GET", "{pins}"]) }) == nil { return node }
    }
    throw ChildProcess.Failure(description: "nobody has the slot")
  }

  /// One that the node has.
  private func someKey(on node: RedisServer) throws -> String {
    let connection = try node.connect()
    return try #require(
      (0..<1000).map { "key-\($0)" }.first { key in
        failure { _ = try connection.command(["GET", .text(key)]) } == nil
      })
  }
}
