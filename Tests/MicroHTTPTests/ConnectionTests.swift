import Glibc
import Testing
import WipingBuffer

@testable import MicroHTTP

@Suite struct `A connection` {
  @Test func `is kept for the next request`() throws {
    let server = try TestServer()
    let client = server.client()
    for number in 0..<5 {
      client.post("/a", "\(number)")
      #expect(client.answer()?.body == "POST /a \(number)")
    }
    #expect(server.server.counts.accepted == 1)
  }

  @Test func `takes requests before their answers, and answers in order`() throws {
    let server = try TestServer()
    let client = server.client()
    client.send((0..<3).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
    for number in 0..<3 { #expect(client.answer()?.body == "GET /\(number) ") }
  }

  @Test func `takes a request byte by byte`() throws {
    let server = try TestServer()
    let client = server.client()
    for byte in "POST /a?b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nx y".utf8 { client.send([byte]) }
    #expect(client.answer()?.body == "POST /a ?b x y")
  }

  @Test func `closes when the client asks for it, or speaks HTTP/1.0`() throws {
    let server = try TestServer()
    let polite = server.client()
    polite.get("/", "Connection: close")
    #expect(polite.readToEnd().hasSuffix("GET / "))
    let old = server.client()
    old.send("GET / HTTP/1.0\r\n\r\n")
    #expect(old.readToEnd().hasSuffix("GET / "))
  }

  @Test func `is cut when a head comes a byte a second`() throws {
    var limits = Server.Limits.patient
    limits.requestSeconds = 1
    let server = try TestServer(nil, limits)
    let client = server.client()
    let begin = monotonicNow()
    for byte in "GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".utf8 {
      guard client.send([byte]) else { break }
      usleep(100_000)
    }
    #expect(client.readToEnd() == "")
    #expect(monotonicNow() - begin >= 1000)
    #expect(server.server.counts.timedOut == 1)
  }

  @Test func `is cut when a body comes a byte a second, on its second request too`() throws {
    var limits = Server.Limits.patient
    limits.requestSeconds = 1
    limits.idleSeconds = 60
    let server = try TestServer(nil, limits)
    let client = server.client()
    client.get("/")
    #expect(client.answer()?.status == 200)
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n")
    for _ in 0..<50 {
      guard client.send("x") else { break }
      usleep(100_000)
    }
    #expect(client.readToEnd() == "")
    #expect(server.server.counts.timedOut == 1)
    #expect(server.wait { $0.connections == 0 && $0.requests == 0 })
  }

  @Test func `may be idle for longer than a request may take, but not for ever`() throws {
    var limits = Server.Limits.patient
    limits.requestSeconds = 1
    limits.idleSeconds = 4
    let server = try TestServer(nil, limits)
    let client = server.client()
    client.get("/")
    #expect(client.answer()?.status == 200)
    usleep(1_300_000)
    client.get("/")
    #expect(client.answer()?.status == 200)
    #expect(client.readToEnd() == "")
  }

  @Test func `over the limit waits until another is closed`() throws {
    var limits = Server.Limits.patient
    limits.connections = 4
    let server = try TestServer(nil, limits)
    let clients = (0..<8).map { _ in server.client() }
    for client in clients { client.get("/") }
    #expect(server.wait { $0.connections == 4 })
    usleep(50_000)
    #expect(server.server.counts.accepted == 4)
    for client in clients { client.close() }
    #expect(server.wait { $0.connections == 0 && $0.accepted == 8 })
    let late = server.client()
    late.get("/late")
    #expect(late.answer()?.body == "GET /late ")
  }

  @Test func `works over IPv6`() throws {
    let server = try TestServer(Listener.tcp(host: "[::1]", port: 0)) { request in
      .response(TestServer.text("\(request.peer.isLoopback) \(request.peer.withBytes { Array($0) })"))
    }
    #expect(server.address.hasPrefix("[::1]:"))
    let client = server.client()
    client.get("/")
    #expect(client.answer()?.body == "true [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]")
  }

  @Test func `works over a Unix socket, streams too`() throws {
    let path = "/tmp/micro-http-\(getpid())-\(monotonicNow()).sock"
    let source = TestSource(["one"])
    do {
      let server = try TestServer(Listener.unix(path: path)) { request in
        if TestServer.string(request.path) == "/stream" { return .stream(OpenStream(source), head: StreamHead()) }
        return .response(TestServer.text("\(request.peer.isUnix) \(request.peer.isLoopback)"))
      }
      #expect(server.address == "unix:\(path)")
      let client = server.client()
      client.get("/")
      #expect(client.answer()?.body == "true true")
      client.get("/stream")
      #expect(client.read(through: "one") != nil)
      #expect(throws: ListenerError.self) { _ = try Listener.unix(path: path).address }
    }
    #expect(source.waitUntilClosed())
    #expect(access(path, F_OK) != 0)
  }

  @Test func `comes in over a listener that another process opened`() throws {
    let opened = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(opened) }
    #expect(listen(opened, 10) == 0)
    let inherited = try Listener.inherited(dup(opened))
    let address = inherited.address.replacing("0.0.0.0", with: "127.0.0.1")
    do {
      let server = try TestServer(inherited)
      let client = Client(address)
      client.get("/")
      #expect(client.answer()?.status == 200)
      #expect(server.server.counts.accepted == 1)
    }
    // Stopping does not shut the socket down for who opened it.
    let waiting = Client(address)
    #expect(waiting.isConnected)
  }
}

@Suite struct `A listener` {
  @Test func `says where it listens`() throws {
    let local = try Listener.tcp(host: "127.0.0.1", port: 0)
    let (address, isLocal) = (local.address, local.isLoopback)
    #expect(address.hasPrefix("127.0.0.1:") && !address.hasSuffix(":0"))
    #expect(isLocal)
    let all = try Listener.tcp(host: "0.0.0.0", port: 0)
    let (allAddress, allIsLocal) = (all.address, all.isLoopback)
    #expect(allAddress.hasPrefix("0.0.0.0:"))
    #expect(!allIsLocal)
    let both = try Listener.tcp(host: "::", port: 0)
    let (bothAddress, bothIsLocal) = (both.address, both.isLoopback)
    #expect(!bothIsLocal)
    #expect(Client("127.0.0.1:" + bothAddress.split(separator: ":").last!).isConnected)
  }

  @Test func `says what is wrong with an address`() throws {
    let first = try Listener.tcp(host: "127.0.0.1", port: 0)
    let port = UInt16(first.address.split(separator: ":").last!)!
    #expect(throws: ListenerError.self) { _ = try Listener.tcp(host: "127.0.0.1", port: port).address }
    #expect(throws: ListenerError.self) { _ = try Listener.tcp(host: "256.0.0.1", port: 0).address }
    #expect(throws: ListenerError.self) { _ = try Listener.tcp(host: "", port: 0).address }
    #expect(throws: ListenerError.self) { _ = try Listener.unix(path: String(repeating: "x", count: 200)).address }
    #expect(throws: ListenerError.self) { _ = try Listener.inherited(9999).address }
    #expect(ListenerError("127.0.0.1:80", errno: EADDRINUSE).description == "127.0.0.1:80 is in use")
  }
}
