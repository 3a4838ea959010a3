import MicroHTTP
import Testing
import WipingBuffer

@Suite struct `An answer` {
  static let constant: StaticString = "for ever"

  /// Each path's answer.
  static let handler: @Sendable (borrowing Request) -> Reply = { request in
    switch TestServer.string(request.path) {
    case "/constant":
      let bytes = UnsafeRawBufferPointer(start: constant.utf8Start, count: constant.utf8CodeUnitCount)
      return .response(Response(status: 200, contentType: "text/plain", constant: bytes))
    case "/fields":
      var response = TestServer.text("x")
      response.setHeader("X-Static", "a")
      response.setHeader("X-String", text: "b\r\nInjected: c\0")
      response.setHeader("X-Number", number: -12)
      response.setHeader("X-Empty", "")
      response.setHeader("Vary", "Authorization")
      response.setHeader("Vary", "Origin")
      return .response(response)
    case "/no-content": return .response(Response(status: 204, contentType: nil, body: Bytes()))
    case "/not-modified":
      var body = Bytes()
      body.append("as it was")
      return .response(Response(status: 304, contentType: nil, body: body))
    case "/large": return .response(TestServer.text(String(repeating: "x", count: 1_000_000)))
    case "/close":
      var response = TestServer.text("x")
      response.closeConnection()
      return .response(response)
    default: return .response(TestServer.text("found nothing", status: 404))
    }
  }

  static func ask(_ target: String, method: String = "GET") throws -> Answer {
    let server = try TestServer(nil, .init(), handler)
    let client = server.client()
    client.send("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = try #require(client.answer(hasBody: method != "HEAD"))
    // Nothing of it is left on the connection.
    client.get("/next")
    #expect(client.answer()?.status == 404)
    return answer
  }

  @Test func `has its status, type, length and date`() throws {
    let answer = try Self.ask("/other")
    #expect(answer.head.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
    #expect(answer["Content-Type"] == "text/plain")
    #expect(answer["Content-Length"] == "13")
    #expect(answer["Date"]?.hasSuffix(" GMT") == true)
    #expect(answer.body == "found nothing")
  }

  @Test func `has the fields that were set, and no others`() throws {
    let answer = try Self.ask("/fields")
    #expect(answer["X-Static"] == "a")
    #expect(answer["X-String"] == "bInjected: c")
    #expect(answer["Injected"] == nil)
    #expect(answer["X-Number"] == "-12")
    #expect(answer["X-Empty"] == nil)
    #expect(answer.all("Vary") == ["Authorization", "Origin"])
  }

  @Test func `may be of bytes that are not copied`() throws { #expect(try Self.ask("/constant").body == "for ever") }

  @Test func `may be larger than a socket's buffer`() throws {
    #expect(try Self.ask("/large").body == String(repeating: "x", count: 1_000_000))
  }

  @Test(arguments: ["/other", "/fields", "/constant", "/large"])
  func `to HEAD is the same without its body`(_ target: String) throws {
    let (get, head) = (try Self.ask(target), try Self.ask(target, method: "HEAD"))
    let isSame: (Substring) -> Bool = { !$0.hasPrefix("Date:") }
    #expect(
      head.head.split(separator: "\r\n").filter(isSame) == get.head.split(separator: "\r\n").filter(isSame))
  }

  @Test func `that nothing has changed tells the length of what it does not send`() throws {
    let server = try TestServer(nil, .init(), Self.handler)
    let client = server.client()
    client.get("/not-modified")
    let answer = try #require(client.answer(hasBody: false))
    #expect(answer["Content-Length"] == "9")
    client.get("/next")
    #expect(client.answer()?.status == 404)
  }

  @Test func `without content tells no length`() throws {
    let answer = try Self.ask("/no-content")
    #expect(answer["Content-Length"] == nil)
    #expect(answer["Transfer-Encoding"] == nil)
  }

  @Test func `closes the connection when it is to`() throws {
    let server = try TestServer(nil, .init(), Self.handler)
    let client = server.client()
    client.get("/close")
    #expect(client.answer()?["Connection"]?.lowercased() == "close")
    #expect(client.readToEnd() == "")
  }
}

@Suite struct `A long poll` {
  static func serving(_ source: TestSource) throws -> (stream: OpenStream, server: TestServer) {
    let stream = OpenStream(source)
    return (stream, try TestServer { _ in .longPoll(stream) })
  }

  @Test func `is answered at once when there is an answer`() throws {
    let source = TestSource([], .respond("{}"))
    let (_, server) = try Self.serving(source)
    let client = server.client()
    client.get("/")
    let answer = try #require(client.answer())
    #expect(answer.head.hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
    #expect(answer["Content-Type"] == "application/json")
    #expect(answer["Cache-Control"] == "no-store")
    #expect(answer["Connection"] == "close")
    #expect(answer["Content-Length"] == "2")
    #expect(answer.body == "{}")
    #expect(client.readToEnd() == "")
    #expect(source.waitUntilClosed())
  }

  @Test func `writes nothing until there is an answer`() throws {
    let source = TestSource()
    let (stream, server) = try Self.serving(source)
    let client = server.client()
    client.get("/")
    #expect(source.state.wait { $0.asked == 1 })
    #expect(client.hasNothing)
    stream.wake()
    #expect(client.hasNothing)
    source.end(.respond("late"))
    stream.wake()
    #expect(client.answer()?.body == "late")
    #expect(client.readToEnd() == "")
    #expect(server.wait { $0.streams == 0 })
  }

  @Test func `to HEAD is answered without its body`() throws {
    let (_, server) = try Self.serving(TestSource([], .respond("{}")))
    let client = server.client()
    client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = client.readToEnd()
    #expect(answer.contains("Content-Length: 2\r\n"))
    #expect(answer.hasSuffix("\r\n\r\n"))
  }

  @Test func `does not wait for ever for a reader who does not take its answer`() throws {
    var limits = Server.Limits.patient
    limits.stallSeconds = 1
    let source = TestSource([], .respond(String(repeating: "x", count: 20_000_000)))
    let server = try TestServer(nil, limits) { _ in .longPoll(OpenStream(source)) }
    let client = server.client(receiveBuffer: 4096)
    client.get("/")
    #expect(source.waitUntilClosed())
    #expect(server.server.counts.streamsCutOff == 1)
  }

  @Test func `is answered whole, however long the answer is`() throws {
    let (_, server) = try Self.serving(TestSource([], .respond(String(repeating: "x", count: 5_000_000))))
    let client = server.client(receiveBuffer: 65_536)
    client.get("/")
    #expect(client.readToEnd().utf8.count > 5_000_000)
    #expect(server.wait { $0.streams == 0 })
    #expect(server.server.counts.streamsCutOff == 0)
  }

  @Test func `of a client that leaves is closed at once`() throws {
    let source = TestSource()
    let (_, server) = try Self.serving(source)
    let client = server.client()
    client.get("/")
    #expect(source.state.wait { $0.asked == 1 })
    client.close()
    #expect(source.waitUntilClosed())
    #expect(server.wait { $0.streams == 0 })
  }
}
