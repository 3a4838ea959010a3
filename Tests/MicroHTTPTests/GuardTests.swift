import MicroHTTP
import Testing

@Suite struct `The guard` {
  struct Row: CustomTestStringConvertible, Sendable {
    let head: String
    let status: Int
    let reason: String
    var testDescription: String { head.replacing("\r\n", with: "⏎") }

    init(_ head: String, _ status: Int, _ reason: String) {
      self.head = head
      self.status = status
      self.reason = reason
    }
  }

  static let refused = [
    Row("GET / HTTP/1.1\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", 400, "malformed"),
    Row("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400, "malformed"),
    Row("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 5\r\n\r\nx", 400, "malformed"),
    Row(
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411,
      "lengthRequired"),
    Row("POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\nGET /", 400, "malformed"),
    Row("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400, "malformed"),
    Row("GET /a\rGET /b HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
    Row("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n: x\r\nX: 1\r\n\r\n", 400, "malformed"),
    Row("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n:\r\nX: 1\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\0\r\n\r\n", 400, "malformed"),
    Row("GET\0X / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.0\r\n\0X: 1\r\n\r\n", 400, "malformed"),
    Row("G/T / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
    Row("\u{7F}GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\0b\r\nX: 1\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\nX(y): 1\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n folded\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n\tfolded\r\nY: 2\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\nX:\r\n folded\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n  \r\n\r\n", 400, "malformed"),
    Row("POST / HTTP/1.1\r\nHost: a\r\nContent: 1\r\n -Length\r\n\r\nx", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\n: x\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\n:\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\nX: 1\02\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nX: 1\0\r\nHost: a\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\nX: 1\rY: 2\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\nAuthorization: a\r\nauthorization: b\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\nIdempotency-Key: a\r\nIdempotency-Key: a\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\nOrigin: a\r\nOrigin: b\r\n\r\n", 400, "malformed"),
    Row("GET / HTTP/1.1\r\nHost: a\r\nContent-Type: a\r\nContent-Type: b\r\n\r\n", 400, "malformed"),
    Row("GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
    Row("GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
    Row("GET /a\0 HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
    Row("GET /a?b\0 HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
    Row("GET\0 /a HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed"),
    Row("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411, "lengthRequired"),
    Row("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 411, "lengthRequired"),
    Row("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 411, "lengthRequired"),
    Row("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411, "lengthRequired"),
    Row("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999\r\n\r\n", 413, "tooLarge"),
  ]

  @Test(arguments: refused)
  func `a request that can be read in two ways is refused and its connection closed`(_ row: Row) throws {
    let server = try TestServer()
    let client = server.client()
    client.send(row.head)
    let answer = try #require(client.answer())
    #expect(answer.status == row.status)
    #expect(answer.body == row.reason)
    #expect(answer["Connection"]?.lowercased() == "close")
    #expect(client.readToEnd() == "")
    let refusals = Refusal.allCases.map { server.server.counts.refusals($0) }
    #expect(refusals.reduce(0, +) == 1)
  }

  @Test(arguments: [16_385, 1 << 20])
  func `a body that is too large is read to its end, and its connection goes on`(_ size: Int) throws {
    let server = try TestServer()
    let client = server.client()
    for _ in 0..<2 {
      client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n" + String(repeating: " ", count: size))
      let answer = try #require(client.answer())
      #expect(answer.status == 413)
      #expect(answer.body == "tooLarge")
    }
  }

  @Test func `a head of any size is answered, or refused before anything is done`() throws {
    let server = try TestServer()
    for size in stride(from: 6000, through: 8400, by: 25) {
      for line in [
        "GET /\(String(repeating: "a", count: size)) HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: size))\r\n",
      ] {
        let client = server.client()
        client.send(line + "Host: a\r\n\r\n")
        let status = client.answer()?.status
        #expect(status == 200 || status == 431 || status == 414, "\(size): \(line.prefix(20))")
      }
    }
  }

  @Test(arguments: [100, 115, 119, 300, 1500])
  func `a query may have any number of parameters`(_ count: Int) throws {
    let server = try TestServer()
    let client = server.client()
    client.get("/?" + Array(repeating: "a=", count: count).joined(separator: "&"))
    #expect(client.answer()?.status == 200)
  }

  /// libmicrohttpd refuses these itself, in its own words.
  static let closed = [
    "GET / HTTP/3.7\r\nHost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n",
  ]

  @Test(arguments: closed)
  func `what is not HTTP is refused and its connection closed`(_ head: String) throws {
    let server = try TestServer { _ in .response(TestServer.text("answered")) }
    let client = server.client()
    client.send(head)
    client.finishSending()
    let answer = client.readToEnd()
    #expect(answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 5") || answer.isEmpty)
    #expect(!answer.contains("answered"))
  }

  static let accepted = [
    Row("GET /a HTTP/1.0\r\n\r\n", 200, "GET /a "),
    Row("GET /a?b=c&d HTTP/1.1\r\nHost: a\r\n\r\n", 200, "GET /a ?b=c&d "),
    Row("GET /a? HTTP/1.1\r\nHost: a\r\n\r\n", 200, "GET /a ? "),
    Row("GET /a?b?c HTTP/1.1\r\nHost: a\r\n\r\n", 200, "GET /a ?b?c "),
    Row("GET /%41/%2F/../b%zz HTTP/1.1\r\nHost: a\r\n\r\n", 200, "GET /%41/%2F/../b%zz "),
    Row("GET http://example.org/a?b HTTP/1.1\r\nHost: a\r\n\r\n", 200, "GET /a ?b "),
    Row("GET HTTPS://example.org HTTP/1.1\r\nHost: a\r\n\r\n", 200, "GET / "),
    Row("GET http://example.org?b HTTP/1.1\r\nHost: a\r\n\r\n", 200, "GET / ?b "),
    Row("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 200, "OPTIONS * "),
    Row("get /a HTTP/1.1\r\nHost: a\r\n\r\n", 200, "get /a "),
    Row("BREW /a HTTP/1.1\r\nHost: a\r\n\r\n", 200, "BREW /a "),
    Row("GET /a HTTP/1.1\r\nHost: a\r\nX-Test: \t b c \t\r\n\r\n", 200, "GET /a [b c] "),
    Row("GET /a HTTP/1.1\r\nHost: a\r\nX-TEST: 1\r\nX-Test: 2\r\n\r\n", 200, "GET /a [1] "),
    Row("GET /a HTTP/1.1\r\nHost:\r\n\r\n", 200, "GET /a "),
    Row("POST /a HTTP/1.1\r\nHost: a\r\n\r\n", 200, "POST /a "),
    Row("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 200, "POST /a "),
    Row("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nx y", 200, "POST /a x y"),
    Row("GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nx y", 200, "GET /a x y"),
    Row("\r\nGET /a HTTP/1.1\nHost: a\n\n", 200, "GET /a "),
  ]

  @Test(arguments: accepted)
  func `a request arrives as it was sent`(_ row: Row) throws {
    let server = try TestServer()
    let client = server.client()
    client.send(row.head)
    let answer = try #require(client.answer())
    #expect(answer.status == row.status)
    #expect(answer.body == row.reason)
  }

  @Test func `a body of 16 KiB is taken whole, in pieces too`() throws {
    let server = try TestServer { request in
      .response(TestServer.text("\(request.body.count) \(request.body.allSatisfy { $0 == UInt8(ascii: "x") })"))
    }
    let client = server.client()
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 16384\r\n\r\n")
    for _ in 0..<16 { client.send(String(repeating: "x", count: 1024)) }
    #expect(client.answer()?.body == "16384 true")
  }

  @Test func `an Expect is answered before the body, or by the refusal`() throws {
    let server = try TestServer()
    let client = server.client()
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n")
    #expect(client.read(through: "\r\n\r\n")?.hasPrefix("HTTP/1.1 100 ") == true)
    client.send("x")
    #expect(client.answer()?.body == "POST / x")
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\nExpect: 100-continue\r\n\r\n")
    #expect(client.answer()?.status == 413)
  }

  @Test func `a head over the connection's memory is refused`() throws {
    let server = try TestServer()
    let client = server.client()
    client.send("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 9000))\r\n\r\n")
    let answer = client.readToEnd()
    #expect(answer.hasPrefix("HTTP/1.1 431") || answer.isEmpty)
    let other = server.client()
    other.get("/", "X-Test: \(String(repeating: "x", count: 6000))")
    #expect(other.answer()?.status == 200)
  }

  @Test func `an address says where a request came from`() throws {
    let handler: @Sendable (borrowing Request) -> Reply = { request in
      let peer = request.peer
      let bytes = peer.withBytes { Array($0) }
      return .response(TestServer.text("\(peer.isLoopback) \(peer.isUnix) \(bytes)"))
    }
    let server = try TestServer(nil, .init(), handler)
    let client = server.client()
    client.get("/")
    #expect(client.answer()?.body == "true false [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1]")
  }
}
