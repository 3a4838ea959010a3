import SessionStore
import Testing

/// What a subscriber hears, and how it makes good what it can't have heard.
@Suite(.timeLimit(.minutes(5))) struct SubscriberTests {
  @Test func `a subscription wakes when it holds, and then with each message`() throws {
    let server = try RedisServer()
    let (link, lines, subscriber) = try subscribe(to: server)
    subscriber.subscribe("a")
    #expect(lines.wait(for: "a: begins"))
    #expect(link.send("PUBLISH", "a", "1") == .text(nil))
    #expect(link.send("PUBLISH", "b", "2") == .text(nil))
    #expect(link.send("PUBLISH", "a", "3") == .text(nil))
    #expect(lines.wait(for: "a: 3"))
    #expect(lines.all == ["a: begins", "a: 1", "a: 3"])
    // Again tells again that it holds.
    subscriber.subscribe("a")
    #expect(lines.wait(for: "a: begins", times: 2))
  }

  @Test func `what was given up is not heard any more`() throws {
    let server = try RedisServer()
    let (link, lines, subscriber) = try subscribe(to: server)
    subscriber.subscribe("a")
    #expect(lines.wait(for: "a: begins"))
    subscriber.unsubscribe("a")
    subscriber.subscribe("b")
    // Both were sent when one of them is answered, and both done when a later message has been passed on.
    #expect(lines.wait(for: "b: begins"))
    _ = link.send("PUBLISH", "b", "0")
    #expect(lines.wait(for: "b: 0"))
    _ = link.send("PUBLISH", "a", "1")
    _ = link.send("PUBLISH", "b", "2")
    #expect(lines.wait(for: "b: 2"))
    #expect(!lines.all.contains("a: 1"))
  }

  @Test func `all subscriptions come back after the connection was lost, and each is woken`() throws {
    let server = try RedisServer()
    let (link, lines, subscriber) = try subscribe(to: server)
    let channels = (0..<1200).map { "channel-\($0)-" }
    for channel in channels { subscriber.subscribe(channel) }
    #expect(lines.wait(for: "begins", times: 1200))
    _ = try server.connect().command(["CLIENT", "KILL", "TYPE", "PUBSUB"])
    #expect(lines.wait(for: "begins", times: 2400))
    let all = lines.all
    for channel in channels { #expect(all.count { $0 == "\(channel): begins" } == 2) }
    _ = link.send("PUBLISH", channels[7], "x")
    #expect(lines.wait(for: "\(channels[7]): x"))
  }

  @Test func `a hung server is noticed, and listened to again when it goes on`() throws {
    let server = try RedisServer()
    let (link, lines, subscriber) = try subscribe(to: server, milliseconds: 1000)
    subscriber.subscribe("a")
    #expect(lines.wait(for: "a: begins"))
    server.hang()
    try waitUntil { !subscriber.isConnected }
    server.goOn()
    #expect(lines.wait(for: "a: begins", times: 2))
    // The link may take the server for down itself.
    try waitUntil { link.send("PUBLISH", "a", "1") == .text(nil) }
    #expect(lines.wait(for: "a: 1"))
  }

  @Test func `a server that was restarted is listened to again`() throws {
    let server = try RedisServer(.tcp)
    let (_, lines, subscriber) = try subscribe(to: server)
    subscriber.subscribe("a")
    #expect(lines.wait(for: "a: begins"))
    server.kill()
    try server.start()
    #expect(lines.wait(for: "a: begins", times: 2))
  }

  @Test func `a user who may not listen is told of`() throws {
    let server = try RedisServer(options: ["--user", "default", "on", "nopass", "~*", "+@all", "resetchannels"])
    let (_, lines, subscriber) = try subscribe(to: server)
    subscriber.subscribe("a")
    #expect(lines.wait(for: "log: redis tells no events: NOPERM"))
  }

  private func subscribe(
    to server: RedisServer, milliseconds: Int = 10_000
  ) throws -> (RedisLink, Lines, RedisSubscriber) {
    let lines = Lines()
    let link = try server.link(milliseconds: milliseconds) { lines.add("log: \($0)") }
    let subscriber = RedisSubscriber(link) { channel, message in
      let channel = String(decoding: channel, as: UTF8.self)
      lines.add("\(channel): \(message.map { String(decoding: $0, as: UTF8.self) } ?? "begins")")
    }
    return (link, lines, subscriber)
  }
}
