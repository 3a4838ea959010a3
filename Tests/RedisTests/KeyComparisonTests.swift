import SessionStore
import Testing

/// What nodes are told of each other's keys.
@Suite(.timeLimit(.minutes(5))) struct KeyComparisonTests {
  private let a = String(repeating: "a5", count: 32)
  private let b = String(repeating: "5b", count: 32)
  private let c = String(repeating: "3c", count: 32)

  /// A node that has just started with these keys.
  private func node(_ server: RedisServer, _ keys: String...) throws -> KeyComparison {
    KeyComparison(try server.link(), try KeyRing(Array(keys.joined(separator: "\n").utf8).span.bytes))
  }

  @Test func `a key is changed node by node, at once, without a word`() throws {
    let server = try RedisServer()
    let steps = [[a], [a, b], [b, a]]
    for keys in steps {
      for _ in 0..<2 {
        var node = try node(server, keys.joined(separator: "\n"))
        #expect(try RedisChecks.compareKeys(&node, allowLoss: false) == [])
        for _ in 0..<2 {
          #expect(try node.look() == [])
          try node.leave()
        }
      }
    }
  }

  @Test func `who seals with a key that one who is there lacks is told so, once`() throws {
    let server = try RedisServer()
    let late = try node(server, a)
    try late.leave()
    var hasty = try node(server, b, a)
    #expect(try hasty.look() == [])
    // Times are told by the second.
    var told: [KeyDifference] = []
    try waitUntil {
      try late.leave()
      told += try hasty.look()
      return !told.isEmpty
    }
    try late.leave()
    told += try hasty.look()
    #expect(told == [.isNotOpened])
  }

  @Test func `what can't be opened is told at the start and not again, and once more when it is another`() throws {
    let server = try RedisServer()
    var others = try node(server, b)
    #expect(try RedisChecks.compareKeys(&others, allowLoss: false) == [])
    var some = try node(server, a, b)
    #expect(try RedisChecks.compareKeys(&some, allowLoss: false) == [])
    #expect(try others.look() == [.opensSome])
    #expect(try others.look() == [])
    var stranger = try node(server, c)
    #expect(throws: RedisChecks.Failure.keys(.opensNothing)) {
      _ = try RedisChecks.compareKeys(&stranger, allowLoss: false)
    }
    stranger = try node(server, c)
    #expect(try RedisChecks.compareKeys(&stranger, allowLoss: true) == [KeyDifference.opensNothing.description])
    // With its own it is one of those that can open some.
    #expect(try stranger.look() == [])
    #expect(try some.look() == [.opensSome])
  }

  @Test func `what a node of another version leaves is read`() throws {
    let server = try RedisServer()
    var node = try node(server, a)
    #expect(try node.look() == [])
    try waitUntil {
      let now = try #require(try server.connect().command(["TIME"]).withValue { $0[0]?.text.flatMap { Int64($0) } })
      _ = try server.connect().command(["ZADD", "pinpad:keys", .number(now * 1000), "1f3a09c2b7d4e865"])
      return try node.look().contains(.isNotOpened)
    }
  }
}
