import Glibc
import MicroHTTP
import Testing
import WipingBuffer

@Suite struct `A request that may wait` {
  /// How many requests a handler has at the moment, and whether it may let go of them.
  struct Gate {
    var inside = 0
    var isOpen = false
  }

  static func limits(waiters: Int) -> Server.Limits {
    var limits = Server.Limits.patient
    limits.workers = 1
    limits.waiters = waiters
    return limits
  }

  static var threadName: String {
    guard let file = fopen("/proc/thread-self/comm", "r") else { return "" }
    defer { fclose(file) }
    var name = [CChar](repeating: 0, count: 17)
    let count = fread(&name, 1, 16, file)
    return String(decoding: name[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self).filter { $0 != "\n" }
  }

  /// Requests of `/slow…` are for waiters, and stay in the handler until the gate is open.
  static func gated(_ gate: Locked<Gate>, waiters: Int) throws -> TestServer {
    try TestServer(nil, limits(waiters: waiters)) {
      if TestServer.string($0.path).hasPrefix("/slow") {
        gate.withLock { $0.inside += 1 }
        #expect(gate.wait { $0.isOpen })
        gate.withLock { $0.inside -= 1 }
      }
      return TestServer.echo($0)
    } mayWait: {
      TestServer.string($0.path).hasPrefix("/slow")
    }
  }

  @Test func `is answered by a waiter, and any other by the worker`() throws {
    let server = try TestServer(nil, Self.limits(waiters: 2)) { _ in
      .response(TestServer.text(Self.threadName))
    } mayWait: {
      TestServer.string($0.path) == "/slow"
    }
    let client = server.client()
    for _ in 0..<3 {
      client.get("/slow")
      #expect(client.answer()?.body == "waiter")
      client.get("/quick")
      #expect(client.answer()?.body == "http")
    }
  }

  @Test func `is answered by the worker where there are no waiters`() throws {
    let server = try TestServer(nil, Self.limits(waiters: 0)) { _ in
      .response(TestServer.text(Self.threadName))
    }
    let client = server.client()
    client.get("/slow")
    #expect(client.answer()?.body == "http")
  }

  @Test func `has all that it was sent with, again and again on one connection`() throws {
    let server = try TestServer(nil, Self.limits(waiters: 3))
    let client = server.client()
    for number in 0..<300 {
      client.send(
        "POST /a/\(number)?b=\(number) HTTP/1.1\r\nHost: a\r\nX-Test: \(number)\r\nContent-Length: 5\r\n\r\nabcde")
      #expect(client.answer()?.body == "POST /a/\(number) ?b=\(number) [\(number)] abcde")
    }
    client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.answer(hasBody: false)?["Content-Length"] == "7")
    client.get("/end")
    #expect(client.answer()?.body == "GET /end ")
  }

  @Test func `is not for a waiter if it is to be refused`() throws {
    let server = try TestServer(nil, Self.limits(waiters: 1)) { request in
      .response(TestServer.text(Self.threadName, status: request.refusal == nil ? 200 : 400))
    }
    let client = server.client()
    client.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
    let answer = try #require(client.answer())
    #expect(answer.status == 400)
    #expect(answer.body == "http")
    #expect(client.readToEnd() == "")
  }

  @Test func `keeps no other waiting, however many there are`() throws {
    let gate = Locked(Gate())
    let server = try Self.gated(gate, waiters: 2)
    let slow = (0..<20).map { _ in server.client() }
    for (number, client) in slow.enumerated() { client.get("/slow/\(number)") }
    #expect(gate.wait { $0.inside == 2 })
    // The worker reads what has come in any order: so it has read all of these before it is known to be idle.
    #expect(server.wait { $0.requests == 20 })
    let quick = server.client()
    for _ in 0..<3 {
      quick.get("/quick")
      #expect(quick.answer()?.body == "GET /quick ")
    }
    for client in slow { #expect(client.hasNothing) }
    gate.withLock { $0.isOpen = true }
    for (number, client) in slow.enumerated() { #expect(client.answer()?.body == "GET /slow/\(number) ") }
  }

  @Test func `has those that came after it on its connection wait for it`() throws {
    let gate = Locked(Gate())
    let server = try Self.gated(gate, waiters: 2)
    let client = server.client()
    client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /quick HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(gate.wait { $0.inside == 1 })
    #expect(client.hasNothing)
    gate.withLock { $0.isOpen = true }
    #expect(client.answer()?.body == "GET /slow ")
    #expect(client.answer()?.body == "GET /quick ")
  }

  @Test func `knows for how long it has waited for one`() throws {
    let gate = Locked(Gate())
    let waits = Locked<[Int64]>([])
    let server = try TestServer(nil, Self.limits(waiters: 1)) { request in
      gate.withLock { $0.inside += 1 }
      #expect(gate.wait { $0.isOpen })
      waits.withLock { $0.append(request.waited) }
      return TestServer.echo(request)
    }
    let first = server.client()
    let second = server.client()
    first.get("/")
    #expect(gate.wait { $0.inside == 1 })
    second.get("/")
    #expect(server.wait { $0.requests == 2 })
    // It may have been read before it was handed over: so until twice as long as is asked for.
    let start = monotonicNow()
    while monotonicNow() < start + 200 { usleep(1000) }
    gate.withLock { $0.isOpen = true }
    #expect(first.answer()?.status == 200)
    #expect(second.answer()?.status == 200)
    #expect(waits.withLock { $0[1] } >= 10)
  }

  @Test func `is answered to a client who has sent all that it has to say`() throws {
    let gate = Locked(Gate())
    let server = try Self.gated(gate, waiters: 2)
    // libmicrohttpd looks at its oldest connection more often than at others.
    let older = server.client()
    older.get("/quick")
    #expect(older.answer()?.status == 200)
    let clients = (0..<8).map { _ in server.client() }
    for (number, client) in clients.enumerated() {
      client.post("/slow/\(number)", "abc")
      client.finishSending()
    }
    #expect(server.wait { $0.requests == 8 })
    gate.withLock { $0.isOpen = true }
    for (number, client) in clients.enumerated() {
      #expect(client.answer()?.body == "POST /slow/\(number) abc")
      #expect(client.readToEnd() == "")
    }
    older.get("/quick")
    #expect(older.answer()?.status == 200)
  }

  @Test func `whose client leaves is forgotten when it is answered`() throws {
    let gate = Locked(Gate())
    let server = try Self.gated(gate, waiters: 1)
    let client = server.client()
    client.get("/slow")
    #expect(gate.wait { $0.inside == 1 })
    client.close()
    gate.withLock { $0.isOpen = true }
    #expect(server.wait { $0.connections == 0 && $0.requests == 0 })
  }

  @Test func `ends with the server, answered or not`() throws {
    let gate = Locked(Gate())
    let server = try Self.gated(gate, waiters: 2)
    let clients = (0..<10).map { _ in server.client() }
    for client in clients { client.get("/slow") }
    #expect(gate.wait { $0.inside == 2 })
    #expect(server.wait { $0.requests == 10 })
    let opener = Thread {
      // When the waiters have been told to stop, which nobody sees from here, or just before.
      usleep(20_000)
      gate.withLock { $0.isOpen = true }
    }
    server.server.stop()
    opener.join()
    for client in clients { _ = client.readToEnd() }
    #expect(server.server.counts.connections == 0)
    #expect(server.server.counts.requests == 0)
  }

  @Test func `may become a stream, or a long poll`() throws {
    let source = TestSource(["one"])
    let poll = TestSource()
    let stream = OpenStream(source)
    let long = OpenStream(poll)
    let server = try TestServer(nil, Self.limits(waiters: 2)) { request in
      TestServer.string(request.path) == "/poll" ? .longPoll(long) : .stream(stream, head: StreamHead())
    }
    let client = server.client()
    let other = server.client()
    client.get("/")
    #expect(client.read(through: "\r\n\r\none") != nil)
    source.give("two")
    stream.wake()
    #expect(client.read(through: "two") != nil)
    other.get("/poll")
    #expect(poll.state.wait { $0.asked == 1 })
    poll.end(.respond("late"))
    long.wake()
    #expect(other.answer()?.body == "late")
    source.end()
    stream.wake()
    #expect(client.readToEnd() == "")
    #expect(source.waitUntilClosed())
    #expect(server.wait { $0.streams == 0 && $0.connections == 0 })
  }
}

/// A source that may wait, and notes on which threads it was asked.
private final class WaitingSource: StreamSource {
  let inner = TestSource()
  let threads = Locked<[String]>([])
  let mayWait = true

  func next(into out: inout Bytes, at now: Int64) -> StreamStep {
    threads.withLock { $0.append(`A request that may wait`.threadName) }
    return inner.next(into: &out, at: now)
  }

  func hasFallenBehind() -> Bool { false }

  func closed() { inner.closed() }
}

@Suite struct `A stream whose source may wait` {
  @Test func `is fed by waiters, whoever wakes it`() throws {
    let source = WaitingSource()
    let stream = OpenStream(source)
    let server = try TestServer(nil, `A request that may wait`.limits(waiters: 2)) { _ in
      .stream(stream, head: StreamHead())
    }
    let client = server.client()
    client.get("/")
    #expect(client.read(through: "\r\n\r\n") != nil)
    for number in 0..<50 {
      source.inner.give("<\(number)>")
      stream.wake()
      #expect(client.read(through: "<\(number)>") != nil)
    }
    // By the streams' thread.
    source.inner.give("<all>")
    server.server.wakeAllStreams()
    #expect(client.read(through: "<all>") != nil)
    #expect(source.threads.withLock { Set($0) } == ["waiter"])
    #expect(source.inner.state.withLock { $0.overlaps } == 0)
    source.inner.end()
    stream.wake()
    #expect(client.readToEnd() == "")
    #expect(source.inner.waitUntilClosed())
  }

  @Test func `is fed where it is woken if there are no waiters`() throws {
    let source = WaitingSource()
    let stream = OpenStream(source)
    let server = try TestServer(nil, `A request that may wait`.limits(waiters: 0)) { _ in
      .stream(stream, head: StreamHead())
    }
    let client = server.client()
    client.get("/")
    #expect(client.read(through: "\r\n\r\n") != nil)
    source.inner.give("one")
    stream.wake()
    #expect(client.read(through: "one") != nil)
    #expect(source.threads.withLock { $0.contains("waiter") } == false)
  }

  @Test func `is not fed any more when its reader has left before a waiter was free`() throws {
    let source = WaitingSource()
    let stream = OpenStream(source)
    let later = TestSource()
    let gate = Locked(false)
    let isInside = Locked(false)
    let server = try TestServer(nil, `A request that may wait`.limits(waiters: 1)) { request in
      switch TestServer.string(request.path) {
      case "/slow":
        isInside.withLock { $0 = true }
        #expect(gate.wait { $0 })
        return TestServer.echo(request)
      case "/later": return .stream(OpenStream(later), head: StreamHead())
      default: return .stream(stream, head: StreamHead())
      }
    } mayWait: {
      TestServer.string($0.path) == "/slow"
    }
    let client = server.client()
    client.get("/")
    #expect(client.read(through: "\r\n\r\n") != nil)
    let other = server.client()
    other.get("/later")
    #expect(other.read(through: "\r\n\r\n") != nil)
    let slow = server.client()
    slow.get("/slow")
    #expect(isInside.wait { $0 })
    let before = source.threads.withLock { $0.count }
    stream.wake()
    client.close()
    // The streams' thread sees them leave in this order.
    other.close()
    #expect(later.waitUntilClosed())
    gate.withLock { $0 = true }
    #expect(slow.answer()?.status == 200)
    #expect(source.inner.waitUntilClosed())
    #expect(source.threads.withLock { $0.count } == before)
  }

  @Test func `ends with the server while it waits for a waiter`() throws {
    let source = WaitingSource()
    let stream = OpenStream(source)
    let gate = Locked(false)
    let isInside = Locked(false)
    let server = try TestServer(nil, `A request that may wait`.limits(waiters: 1)) { request in
      if TestServer.string(request.path) == "/slow" {
        isInside.withLock { $0 = true }
        #expect(gate.wait { $0 })
        return TestServer.echo(request)
      }
      return .stream(stream, head: StreamHead())
    }
    let client = server.client()
    client.get("/")
    #expect(client.read(through: "\r\n\r\n") != nil)
    let slow = server.client()
    slow.get("/slow")
    #expect(isInside.wait { $0 })
    source.inner.give("never or once")
    stream.wake()
    let opener = Thread {
      usleep(20_000)
      gate.withLock { $0 = true }
    }
    server.server.stop()
    opener.join()
    _ = client.readToEnd()
    #expect(source.inner.state.withLock { $0.closings } == 1)
    #expect(server.server.counts.streams == 0)
  }
}
