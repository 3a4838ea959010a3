import Glibc
import MicroHTTP
import Testing

@Suite struct `One address` {
  static let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

  static func limits(connections: Int = 256, streams: Int = 1024) -> Server.Limits {
    var limits = Server.Limits.patient
    limits.connectionsPerAddress = connections
    limits.streamsPerAddress = streams
    return limits
  }

  /// Loopback is no exception here.
  static func serving(_ limits: Server.Limits, _ source: TestSource = TestSource()) throws -> TestServer {
    let handler: @Sendable (borrowing Request) -> Reply = { request in
      guard TestServer.string(request.path) == "/stream" else { return TestServer.echo(request) }
      return .stream(OpenStream(source, for: request.peer), head: StreamHead())
    }
    return try TestServer(nil, limits, handler, isLimited: { _ in true })
  }

  @Test func `has so many connections and one more is told so`() throws {
    let server = try Self.serving(Self.limits(connections: 2))
    let clients = [server.client(), server.client()]
    for client in clients {
      client.send(Self.get)
      #expect(client.answer()?.status == 200)
    }
    let third = server.client()
    third.send(Self.get)
    let answer = third.answer()
    #expect(answer?.status == 429)
    #expect(answer?["Connection"]?.lowercased() == "close")
    #expect(third.readToEnd() == "")
    #expect(server.server.counts.refusals(.crowded) == 1)
    // The others go on, and when one leaves there is room again.
    clients[0].send(Self.get)
    #expect(clients[0].answer()?.status == 200)
    clients[1].close()
    #expect(server.wait { $0.connections == 1 })
    let fourth = server.client()
    fourth.send(Self.get)
    #expect(fourth.answer()?.status == 200)
  }

  @Test func `can't keep connections over its limit by sending nothing`() throws {
    let server = try Self.serving(Self.limits(connections: 2))
    let kept = [server.client(), server.client()]
    #expect(server.wait { $0.connections == 2 })
    let waiting = server.client()
    let halfSent = server.client()
    halfSent.send("GET /a HTTP/1.1\r\nHost: ")
    #expect(waiting.readToEnd() == "")
    #expect(halfSent.readToEnd() == "")
    #expect(server.wait { $0.connections == 2 })
    for client in kept {
      client.send(Self.get)
      #expect(client.answer()?.status == 200)
    }
  }

  @Test func `with twice as many is not heard any more`() throws {
    let server = try Self.serving(Self.limits(connections: 1))
    let clients = (0..<8).map { _ in server.client() }
    for client in clients.dropFirst() { #expect(client.readToEnd() == "") }
    #expect(server.wait { $0.connections == 1 })
    #expect(server.server.counts.refusals(.crowded) >= 6)
  }

  @Test func `has so many streams, however many others there are`() throws {
    let source = TestSource()
    let server = try Self.serving(Self.limits(streams: 2), source)
    let clients = [server.client(), server.client()]
    for client in clients { client.get("/stream") }
    #expect(server.wait { $0.streams == 2 })
    let third = server.client()
    third.get("/stream")
    #expect(third.answer()?.status == 503)
    third.close()
    clients[0].close()
    #expect(server.wait { $0.streams == 1 })
    let fourth = server.client()
    fourth.get("/stream")
    #expect(server.wait { $0.streams == 2 })
    clients[1].close()
    fourth.close()
    #expect(server.wait { $0.streams == 0 && $0.connections == 0 })
  }
}
