import SessionStore
import Testing
import WipingBuffer

/// What passes between a connection and a Redis server of the test's own.
@Suite(.timeLimit(.minutes(2))) struct ConnectionTests {
  @Test(arguments: [RedisServer.Place.unix, .tcp])
  func `a command is answered`(_ place: RedisServer.Place) throws {
    let server = try RedisServer(place)
    let connection = try server.connect()
    #expect(try connection.command(["PING"]).text == "PONG")
    #expect(try connection.command(["SET", "a", .number(-7)]).text == "OK")
    #expect(try connection.command(["GET", .text("a")]).text == "-7")
    #expect(try connection.command(["INCRBY", "a", "10"]).integer == 3)
    #expect(try connection.command(["GET", "nothing"]).isNull)
  }

  @Test func `every byte comes back as it was sent, in a value longer than one read`() throws {
    let server = try RedisServer()
    let connection = try server.connect()
    let sent = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try sent.withUnsafeBytes { bytes in _ = try connection.command(["SET", "a", .bytes(bytes)]) }
    let back = try connection.command(["GET", "a"]).withValue { $0.bytes.map { Array($0) } }
    #expect(back == sent)
  }

  @Test func `an array has its elements in order, arrays among them`() throws {
    let server = try RedisServer()
    let connection = try server.connect()
    let reply = try connection.command(["EVAL", "return {1, {'a', false}, 'b'}", "0"])
    reply.withValue { value in
      #expect(value.count == 3)
      #expect(value[0]?.integer == 1)
      #expect(value[1]?[0]?.text == "a")
      #expect(value[1]?[1]?.isNull == true)
      #expect(value[2]?.text == "b")
      #expect(value[3] == nil)
      #expect(value.elements.map(\.count) == [0, 2, 0])
    }
  }

  @Test func `an error of Redis's is thrown, and the connection is good afterwards`() throws {
    let server = try RedisServer()
    let connection = try server.connect()
    #expect(throws: RedisError.refused(RedisFailure("ERR unknown command 'NONE', with args beginning with: "))) {
      _ = try connection.command(["NONE"])
    }
    _ = try connection.command(["SET", "a", "b"])
    #expect(failure { _ = try connection.command(["LPUSH", "a", "b"]) }?.kind == .wrongType)
    #expect(connection.isUsable)
  }

  @Test func `several commands are answered in their order, errors among them`() throws {
    let server = try RedisServer()
    let connection = try server.connect()
    try connection.pipeline([["SET", "a", "1"], ["NONE"], ["INCR", "a"]]).withValues { values in
      #expect(values.map(\.text) == ["OK", nil, nil])
      #expect(values.map(\.failure?.kind) == [nil, .other, nil])
      #expect(values.map(\.integer) == [nil, nil, 2])
    }
  }

  @Test func `a script's text is sent once, and again when Redis has forgotten it`() throws {
    let server = try RedisServer()
    let connection = try server.connect()
    let script = RedisScript("return {KEYS[1], ARGV[1], ARGV[2]}")
    func run() throws -> [String?] {
      try connection.eval(script, keys: ["k"], arguments: ["a", .number(2)]).withValue { $0.elements.map(\.text) }
    }
    for _ in 0..<3 { #expect(try run() == ["k", "a", "2"]) }
    #expect(try calls(of: "eval", on: connection) == 1)
    _ = try connection.command(["SCRIPT", "FLUSH"])
    #expect(try run() == ["k", "a", "2"])
    #expect(try calls(of: "eval", on: connection) == 2)
    #expect(try calls(of: "evalsha", on: connection) == 4)
  }

  @Test func `a connection gives its user, its password and its database`() throws {
    let server = try RedisServer(options: [
      "--user", "pin", "on", ">p\u{e4}ss", "~*", "+@all", "--requirepass", "default-one",
    ])
    #expect(failure { _ = try server.connect().command(["PING"]) }?.kind == .unauthenticated)
    let wrong = RedisLogin(user: "pin", password: "default-one")
    #expect(failure { _ = try server.connect(wrong) }?.kind == .wrongPassword)
    let first = try server.connect(RedisLogin(user: "pin", password: "p\u{e4}ss", database: 3))
    #expect(try first.command(["ACL", "WHOAMI"]).text == "pin")
    _ = try first.command(["SET", "a", "1"])
    let second = try server.connect(RedisLogin(password: "default-one"))
    #expect(try second.command(["ACL", "WHOAMI"]).text == "default")
    #expect(try second.command(["GET", "a"]).isNull)
  }

  private func calls(of command: String, on connection: RedisConnection) throws -> Int? {
    let lines = try connection.command(["INFO", "commandstats"]).text ?? ""
    let line = lines.split(separator: "\r\n").first { $0.hasPrefix("cmdstat_\(command):") }
    return line.flatMap { line in
      line.prefixMatch(of: #/cmdstat_\w+:calls=(\d+)/#).flatMap { Int($0.1) }
    }
  }
}

/// What Redis answered with, if it was an error.
func failure(_ body: () throws -> Void) -> RedisFailure? {
  do {
    try body()
    return nil
  } catch RedisError.refused(let failure) {
    return failure
  } catch {
    return nil
  }
}
