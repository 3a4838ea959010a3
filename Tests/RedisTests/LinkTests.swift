import Glibc
import SessionStore
import TestSupport
import Testing

/// The link to one server that goes away and comes back.
@Suite(.timeLimit(.minutes(5))) struct LinkTests {
  @Test func `eight workers share a server, and there are no more connections than workers`() throws {
    let server = try RedisServer()
    let link = try makeLink(to: server)
    let wrong = Locked(0)
    inParallel(threads: 8) { thread in
      for number in 0..<200 {
        _ = link.send("SET", "\(thread)", "\(number)")
        if link.send("GET", "\(thread)") != .text("\(number)") { wrong.withLock { $0 += 1 } }
      }
    }
    #expect(wrong.withLock { $0 } == 0)
    let info = try server.connect().command(["INFO", "stats"]).text ?? ""
    let connections = info.firstMatch(of: #/total_connections_received:(\d+)/#).flatMap { Int($0.1) }
    // With the one that asks.
    #expect(try #require(connections) <= 9)
  }

  @Test func `a hung server is found out once, and then everybody fails at once until it goes on`() throws {
    let server = try RedisServer()
    let lines = Lines()
    let link = try makeLink(to: server, milliseconds: 1000, lines)
    #expect(link.send("SET", "a", "1") == .text("OK"))
    server.hang()
    #expect(link.send("GET", "a") == .failed(.replyLost))
    // At a time-out each this would take hours.
    for _ in 0..<10_000 { #expect(link.send("GET", "a").isUnavailable) }
    server.goOn()
    #expect(lines.wait(for: "redis is up again"))
    #expect(link.send("GET", "a") == .text("1"))
    #expect(lines.all.first?.contains("no reply within 1000 ms") == true)
  }

  @Test func `a hung server is found out by a worker, and none of the others waits for longer`() throws {
    let server = try RedisServer()
    let link = try makeLink(to: server, milliseconds: 1000)
    server.hang()
    let start = now()
    let results = Locked<[Result]>([])
    inParallel(threads: 8) { _ in
      for _ in 0..<100 {
        let result = link.send("SET", "a", "1")
        results.withLock { $0.append(result) }
      }
    }
    let seconds = now() - start
    let all = results.withLock { $0 }
    #expect(all.allSatisfy { $0 == .failed(.replyLost) || $0.isUnavailable })
    // Each worker at most once.
    #expect(all.count { $0 == .failed(.replyLost) } <= 8)
    #expect(seconds < 20)
    server.goOn()
  }

  @Test func `a server that is gone is refused at once, and used again when it's back`() throws {
    let server = try RedisServer(.tcp)
    let lines = Lines()
    let link = try makeLink(to: server, lines)
    #expect(link.send("SET", "a", "1") == .text("OK"))
    server.kill()
    // The connection that rests is closed: whether a command on it was carried out is not known, or it wasn't sent.
    let first = link.send("GET", "a")
    #expect(first == .failed(.replyLost) || first.isUnavailable)
    #expect(link.send("GET", "a").isUnavailable)
    #expect(lines.wait(for: "redis is down: \(server.endpoint): Connection refused"))
    try server.start()
    #expect(lines.wait(for: "redis is up again"))
    // It came back empty.
    #expect(link.send("GET", "a") == .text(nil))
  }

  @Test func `a server that is still reading its data is down until it has`() throws {
    // At 20 ms a key it takes two seconds, and answers every kilobyte.
    let server = try RedisServer(
      options: [
        "--rdbcompression", "no", "--key-load-delay", "20000", "--loading-process-events-interval-bytes", "1024",
      ])
    let lines = Lines()
    let link = try makeLink(to: server, lines)
    for number in 0..<100 {
      #expect(link.send("SET", "key-\(number)", String(repeating: "x", count: 500)) == .text("OK"))
    }
    _ = try server.connect().command(["SAVE"])
    server.kill()
    try waitUntil { link.send("GET", "key-0").isUnavailable }
    try server.start(until: "Server initialized")
    try waitUntil {
      guard case .failed(.unavailable(let reason)) = link.send("GET", "key-0") else { return false }
      return reason.contains("LOADING")
    }
    #expect(lines.wait(for: "redis is up again"))
    #expect(link.send("GET", "key-99") == .text(String(repeating: "x", count: 500)))
  }

  @Test func `connections that Redis closed while they rested are not used`() throws {
    let server = try RedisServer()
    let link = try makeLink(to: server)
    let admin = try server.connect()
    for _ in 0..<3 {
      #expect(link.send("PING") == .text("PONG"))
      _ = try admin.command(["CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "YES"])
      // Longer than a connection is trusted without a look.
      usleep(1_100_000)
    }
    #expect(link.send("PING") == .text("PONG"))
  }

  @Test func `a server that wants another password, or is no master, is no use from the start`() throws {
    let server = try RedisServer(.tcp, options: ["--requirepass", "secret"])
    let place = server.endpoint
    #expect(
      misconfigured { _ = try makeLink(to: server) }?.hasPrefix("\(place): refuses the user or the password: NOAUTH")
        == true)
    for login in ["wrong:secret", ":wrong"] {
      #expect(
        misconfigured { _ = try RedisLink(RedisAddress("redis://\(login)@\(place)")) }?
          .hasPrefix("\(place): refuses the user or the password: WRONGPASS") == true)
    }
    #expect(
      misconfigured { _ = try RedisLink(RedisAddress("redis://:secret@\(place)/99")) }
        == "\(place): ERR DB index is out of range")
    let port = try #require(server.port)
    let link = try RedisLink(RedisAddress("redis://:secret@127.0.0.1:\(port)/5"), milliseconds: 10_000)
    #expect(link.send("SET", "a", "1") == .text("OK"))
    let replica = try RedisServer(.tcp, options: ["--replicaof", "127.0.0.1", "\(port)", "--masterauth", "secret"])
    #expect(unavailable { _ = try makeLink(to: replica) }?.contains("is no master") == true)
  }

  @Test func `a password where none is known is refused, and so is a user who may not ask whether Redis is there`()
    throws
  {
    let server = try RedisServer(.tcp, options: ["--user", "mute", "on", ">secret", "+@all", "-ping"])
    let place = server.endpoint
    #expect(
      misconfigured { _ = try RedisLink(RedisAddress("redis://:secret@\(place)")) }?
        .hasPrefix("\(place): refuses the user or the password: ERR AUTH") == true)
    #expect(
      misconfigured { _ = try RedisLink(RedisAddress("redis://mute:secret@\(place)")) }?
        .hasPrefix("\(place): NOPERM") == true)
  }

  @Test func `what goes wrong at the start is said by whoever starts, and not by the link`() throws {
    let server = try RedisServer(.tcp, options: ["--requirepass", "secret"])
    let lines = Lines()
    #expect(misconfigured { _ = try makeLink(to: server, lines) } != nil)
    server.kill()
    #expect(unavailable { _ = try makeLink(to: server, lines) }?.hasSuffix("Connection refused") == true)
    #expect(lines.all == [])
  }

  @Test func `that there are too many clients passes, and is no mistake of the configuration`() throws {
    let server = try RedisServer(.tcp, options: ["--maxclients", "1"])
    let first = try server.connect()
    #expect(unavailable { _ = try makeLink(to: server) }?.contains("max number of clients") == true)
    _ = try first.command(["PING"])
  }

  @Test func `a name is looked up, and one that means nothing is said to`() throws {
    let server = try RedisServer(.tcp)
    let port = try #require(server.port)
    let link = try RedisLink(RedisAddress("redis://localhost:\(port)"), milliseconds: 10_000)
    #expect(link.send("PING") == .text("PONG"))
    #expect(
      unavailable { _ = try RedisLink(RedisAddress("redis://nowhere.invalid")) }?.contains("no such host") == true)
  }

  @Test func `a server that becomes a replica is down until it is a master again`() throws {
    let server = try RedisServer(.tcp)
    let lines = Lines()
    let link = try makeLink(to: server, lines)
    let admin = try server.connect()
    #expect(link.send("SET", "a", "1") == .text("OK"))
    // Of a master that isn't there, so that its data stays.
    _ = try admin.command(["REPLICAOF", "127.0.0.1", .number(Int64(try FreePort.find()))])
    #expect(link.send("SET", "a", "2").isUnavailable)
    #expect(lines.wait(for: "redis is down"))
    _ = try admin.command(["REPLICAOF", "NO", "ONE"])
    #expect(lines.wait(for: "redis is up again"))
    #expect(link.send("GET", "a") == .text("1"))
  }

  @Test func `out of memory is told as such, and reading goes on`() throws {
    let server = try RedisServer(options: ["--maxmemory-policy", "noeviction"])
    let link = try makeLink(to: server)
    #expect(link.send("SET", "a", "1") == .text("OK"))
    _ = try server.connect().command(["CONFIG", "SET", "maxmemory", "1"])
    guard case .failed(.refused(let failure)) = link.send("SET", "a", "2") else {
      Issue.record("it was not refused")
      return
    }
    #expect(failure.kind == .outOfMemory)
    let script = RedisScript("return redis.call('SET', KEYS[1], ARGV[1])")
    #expect(
      RedisTests.failure { _ = try link.eval(script, keys: ["a"], arguments: ["2"], at: RedisSlot(key: "a")) }?.kind
        == .outOfMemory)
    #expect(link.send("GET", "a") == .text("1"))
  }

  private func makeLink(
    to server: RedisServer, milliseconds: Int = 10_000, _ lines: Lines = Lines()
  ) throws -> RedisLink {
    try server.link(milliseconds: milliseconds) { lines.add($0) }
  }

  private func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec
  }
}

/// What is wrong with the configuration, if something is.
func misconfigured(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch RedisError.misconfigured(let reason) {
    return reason
  } catch {
    return nil
  }
}

/// Why Redis can't be used, if it can't be.
func unavailable(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch RedisError.unavailable(let reason) {
    return reason
  } catch {
    return nil
  }
}
