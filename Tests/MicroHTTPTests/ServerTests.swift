import Glibc
import MicroHTTP
import Testing

@Suite struct `A server` {
  @Test func `that drains closes each connection after its next answer, and still answers new ones`() throws {
    let server = try TestServer()
    let client = server.client()
    client.get("/a")
    #expect(client.answer()?["Connection"] == nil)
    server.server.drain()
    client.get("/a")
    #expect(client.answer()?["Connection"]?.lowercased() == "close")
    #expect(client.readToEnd() == "")
    let late = server.client()
    late.get("/readyz")
    #expect(late.readToEnd().hasSuffix("GET /readyz "))
  }

  @Test func `that stops ends connections and streams, and tells their sources`() throws {
    let sources = Locked<[TestSource]>([])
    let server = try TestServer { request in
      if TestServer.string(request.path) == "/a" { return TestServer.echo(request) }
      let source = TestSource(["one"])
      sources.withLock { $0.append(source) }
      return .stream(OpenStream(source), head: StreamHead())
    }
    let idle = server.client()
    idle.get("/a")
    #expect(idle.answer()?.status == 200)
    let streams = (0..<20).map { _ in server.client() }
    for client in streams {
      client.get("/")
      #expect(client.read(through: "one") != nil)
    }
    server.server.stop()
    for client in streams { #expect(client.readToEnd() == "") }
    #expect(idle.readToEnd() == "")
    #expect(sources.withLock { $0.allSatisfy { source in source.state.withLock { $0.closings } == 1 } })
    #expect(server.server.counts.streams == 0)
    #expect(server.server.counts.connections == 0)
    #expect(!server.client().isConnected)
  }

  @Test func `stops while streams are woken from another thread`() throws {
    let source = TestSource()
    let stream = OpenStream(source)
    let server = try TestServer { _ in .stream(stream, head: StreamHead()) }
    let client = server.client()
    client.get("/")
    #expect(client.read(through: "\r\n\r\n") != nil)
    let isDone = Locked(false)
    let thread = Thread {
      while !isDone.withLock({ $0 }) {
        // A source that grows without an end would take longer and longer to ask.
        source.state.withLock { if $0.events.count < 100 { $0.events.append("x") } }
        stream.wake()
      }
    }
    #expect(client.read(through: "xxx") != nil)
    server.server.stop()
    isDone.withLock { $0 = true }
    thread.join()
    #expect(source.state.withLock { $0.closings } == 1)
  }

  @Test func `runs timers when they said, and earlier when it is asked to`() throws {
    let calls = Locked<[Int64]>([])
    let server = try TestServer(nil, .init(), TestServer.echo) { now in
      calls.withLock { calls in
        calls.append(now)
        return calls.count == 1 ? now + 200 : calls.count == 2 ? now + 3_600_000 : .max
      }
    }
    #expect(calls.wait { $0.count == 2 })
    #expect(calls.withLock { $0[1] - $0[0] } >= 200)
    server.server.wakeTimers(by: monotonicNow() + 100)
    #expect(calls.wait { $0.count == 3 })
    server.server.wakeTimers(by: monotonicNow())
    #expect(calls.wait { $0.count == 4 })
  }

  @Test func `answers on many connections at once`() throws {
    let server = try TestServer()
    let (failures, address) = (Locked(0), server.address)
    let threads = (0..<8).map { thread in
      Thread {
        let client = Client(address)
        for number in 0..<200 {
          client.post("/\(thread)", "\(number)")
          if client.answer()?.body != "POST /\(thread) \(number)" { failures.withLock { $0 += 1 } }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(failures.withLock { $0 } == 0)
    #expect(server.server.counts.accepted == 8)
    #expect(server.wait { $0.requests == 0 && $0.connections == 0 })
  }

  @Test func `survives clients that leave at any point of a request`() throws {
    let source = TestSource()
    // Who has left within a first line may be found out only when its time is over.
    var limits = Server.Limits.patient
    limits.requestSeconds = 10
    let server = try TestServer(nil, limits) { request in
      if TestServer.string(request.path) == "/a" { return TestServer.echo(request) }
      return .stream(OpenStream(source), head: StreamHead())
    }
    let request = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nx yGET / HTTP/1.1\r\nHost: a\r\n\r\n"
    for count in 0...request.utf8.count {
      let client = server.client()
      client.send(String(request.prefix(count)))
    }
    let last = server.client()
    last.get("/a")
    #expect(last.answer()?.status == 200)
    #expect(server.wait { $0.requests == 0 && $0.connections == 1 && $0.streams == 0 })
  }

  @Test func `gives its threads names and takes no signals on them`() throws {
    let server = try TestServer { _ in
      var signals = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &signals)
      let file = open("/proc/thread-self/comm", O_RDONLY)
      defer { close(file) }
      var name = [UInt8](repeating: 0, count: 16)
      let count = read(file, &name, 16)
      let blocked = [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGPIPE].allSatisfy { sigismember(&signals, $0) == 1 }
      let text = String(decoding: name[..<max(0, count)], as: UTF8.self)
      return .response(TestServer.text("\(text)\(blocked)"))
    }
    let client = server.client()
    client.get("/")
    #expect(client.answer()?.body == "http\ntrue")
  }
}
