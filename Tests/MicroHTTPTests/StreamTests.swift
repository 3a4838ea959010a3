import Glibc
import MicroHTTP
import TestSupport
import Testing
import WipingBuffer

@Suite struct `A stream` {
  /// Serves `source` at /stream, and anything else by `TestServer.echo`.
  static func serving(
    _ source: TestSource, onHead: @escaping @Sendable (inout StreamHead) -> Void = { _ in }
  ) -> (stream: OpenStream, handler: @Sendable (borrowing Request) -> Reply) {
    let stream = OpenStream(source)
    return (
      stream,
      { request in
        guard TestServer.string(request.path) == "/stream" else { return TestServer.echo(request) }
        var head = StreamHead()
        head.setHeader("Content-Type", "text/event-stream")
        onHead(&head)
        return .stream(stream, head: head)
      }
    )
  }

  @Test func `begins with its head and first bytes, and stays open after its handler returned`() throws {
    let source = TestSource(["retry: 1\n\n", "data: 1\n\n"])
    let (stream, handler) = Self.serving(source) { head in
      head.setHeader("X-A", text: "a\r\nb")
      head.setHeader("X-N", number: 5)
    }
    let server = try TestServer(nil, .init(), handler)
    let client = server.client()
    client.get("/stream")
    let head = Answer(head: try #require(client.read(through: "\r\n\r\n")))
    #expect(head.status == 200)
    #expect(head["Content-Type"] == "text/event-stream")
    #expect(head["Connection"] == "close")
    #expect(head["X-A"] == "ab")
    #expect(head["X-N"] == "5")
    #expect(head["Date"]?.hasSuffix(" GMT") == true)
    #expect(head["Content-Length"] == nil && head["Transfer-Encoding"] == nil)
    #expect(client.read(through: "data: 1\n\n") == "retry: 1\n\ndata: 1\n\n")
    // libmicrohttpd has closed its descriptor, and the stream is there.
    #expect(server.wait { $0.connections == 0 && $0.streams == 1 })
    for number in 2..<100 {
      source.give("data: \(number)\n\n")
      stream.wake()
      #expect(client.read(through: "\n\n") == "data: \(number)\n\n")
    }
    source.end()
    stream.wake()
    #expect(client.readToEnd() == "")
    #expect(source.waitUntilClosed())
    #expect(server.wait { $0.streams == 0 })
    #expect(server.server.counts.streamsCutOff == 0)
  }

  @Test func `begins on a connection that had other requests before`() throws {
    let source = TestSource(["one"])
    let (stream, handler) = Self.serving(source)
    let server = try TestServer(nil, .init(), handler)
    let client = server.client()
    for _ in 0..<3 {
      client.get("/a")
      #expect(client.answer()?.status == 200)
    }
    client.get("/stream")
    #expect(client.read(through: "one") != nil)
    source.give("two")
    stream.wake()
    #expect(client.read(through: "two") == "two")
  }

  @Test func `outlives the deadline of requests`() throws {
    var limits = Server.Limits.patient
    limits.requestSeconds = 1
    limits.idleSeconds = 1
    let source = TestSource(["one"])
    let (stream, handler) = Self.serving(source)
    let server = try TestServer(nil, limits, handler)
    let client = server.client()
    client.get("/stream")
    #expect(client.read(through: "one") != nil)
    usleep(2_500_000)
    source.give("two")
    stream.wake()
    #expect(client.read(through: "two") == "two")
    #expect(server.server.counts.timedOut == 0)
  }

  @Test func `that ends at once sends all it had`() throws {
    let source = TestSource(["one", "two"], .end)
    let (_, handler) = Self.serving(source)
    let server = try TestServer(nil, .init(), handler)
    let client = server.client()
    // Bytes that nobody reads do not take the end away.
    client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.readToEnd().hasSuffix("\r\n\r\nonetwo"))
    #expect(source.waitUntilClosed())
    #expect(source.state.withLock { $0.closings } == 1)
  }

  @Test func `that is cut drops the connection and is counted`() throws {
    let source = TestSource(["one"])
    let (stream, handler) = Self.serving(source)
    let server = try TestServer(nil, .init(), handler)
    let client = server.client()
    client.get("/stream")
    #expect(client.read(through: "one") != nil)
    source.end(.cut)
    stream.wake()
    #expect(client.readToEnd() == "")
    #expect(source.waitUntilClosed())
    #expect(server.server.counts.streamsCutOff == 1)
  }

  @Test func `of a client that leaves is closed at once, without anything being sent`() throws {
    let source = TestSource()
    let (stream, handler) = Self.serving(source)
    let server = try TestServer(nil, .init(), handler)
    let client = server.client()
    client.get("/stream")
    #expect(client.read(through: "\r\n\r\n") != nil)
    client.close()
    #expect(source.waitUntilClosed())
    #expect(server.wait { $0.streams == 0 })
    let asked = source.state.withLock { $0.asked }
    stream.wake()
    #expect(source.state.withLock { $0.asked } == asked)
    #expect(source.state.withLock { $0.closings } == 1)
  }

  @Test func `is asked again at the time that its source said`() throws {
    let source = TestSource()
    source.state.withLock {
      $0.deadline = monotonicNow() + 300
      $0.atDeadline = "now"
    }
    let (_, handler) = Self.serving(source)
    let server = try TestServer(nil, .init(), handler)
    let client = server.client()
    let begin = monotonicNow()
    client.get("/stream")
    #expect(client.read(through: "now") != nil)
    #expect(monotonicNow() - begin >= 290)
  }

  @Test func `keeps its time when a later one was said before, and an earlier one after`() throws {
    let source = TestSource()
    source.state.withLock { $0.deadline = monotonicNow() + 60_000 }
    let (stream, handler) = Self.serving(source)
    let server = try TestServer(nil, .init(), handler)
    let client = server.client()
    client.get("/stream")
    #expect(client.read(through: "\r\n\r\n") != nil)
    source.state.withLock {
      $0.deadline = monotonicNow() + 200
      $0.atDeadline = "now"
    }
    stream.wake()
    #expect(client.read(through: "now") == "now")
  }

  @Test func `sends what four threads wake it for in order, once each`() throws {
    let source = TestSource()
    let (stream, handler) = Self.serving(source)
    let server = try TestServer(nil, .init(), handler)
    let client = server.client()
    client.get("/stream")
    #expect(client.read(through: "\r\n\r\n") != nil)
    let next = Locked(0)
    let threads = (0..<4).map { _ in
      Thread {
        for _ in 0..<500 {
          next.withLock { number in
            source.give("<\(number)>")
            number += 1
          }
          stream.wake()
        }
      }
    }
    var expected = 0
    while expected < 2000 {
      guard let text = client.read(through: ">") else { break }
      #expect(text == "<\(expected)>")
      expected += 1
    }
    #expect(expected == 2000)
    for thread in threads { thread.join() }
    #expect(source.state.withLock { $0.overlaps } == 0)
  }

  @Test func `whose reader is too slow is cut off, and nobody else waits for it`() throws {
    let slow = TestSource()
    let fast = TestSource()
    let (slowStream, fastStream) = (OpenStream(slow), OpenStream(fast))
    let server = try TestServer { request in
      .stream(TestServer.string(request.path) == "/slow" ? slowStream : fastStream, head: StreamHead())
    }
    let (slowClient, fastClient) = (server.client(receiveBuffer: 4096), server.client())
    slowClient.get("/slow")
    fastClient.get("/fast")
    #expect(slowClient.read(through: "\r\n\r\n") != nil)
    #expect(fastClient.read(through: "\r\n\r\n") != nil)
    // One event that no buffer holds.
    slow.give(String(repeating: "x", count: 20_000_000))
    slowStream.wake()
    #expect(server.server.counts.streams == 2)
    fast.give("still here\n")
    fastStream.wake()
    #expect(fastClient.read(through: "\n") == "still here\n")
    slow.state.withLock { $0.isBehind = true }
    slowStream.wake()
    #expect(slow.waitUntilClosed())
    #expect(server.server.counts.streamsCutOff == 1)
    fast.give("and here\n")
    fastStream.wake()
    #expect(fastClient.read(through: "\n") == "and here\n")
  }

  @Test func `whose reader is slow but goes on gets every byte`() throws {
    let source = TestSource()
    let (stream, handler) = Self.serving(source)
    let server = try TestServer(nil, .init(), handler)
    let client = server.client(receiveBuffer: 4096)
    client.get("/stream")
    #expect(client.read(through: "\r\n\r\n") != nil)
    let event = String(repeating: "x", count: 4000)
    var given = 0
    while source.state.withLock({ $0.events.count < 20 }) && given < 10_000 {
      source.give(event + "\(given)\n")
      stream.wake()
      given += 1
    }
    source.end()
    stream.wake()
    for number in 0..<given { #expect(client.read(through: "\n") == event + "\(number)\n") }
    #expect(client.readToEnd() == "")
    #expect(source.waitUntilClosed())
  }

  @Test func `does not wait for ever for a reader who takes nothing`() throws {
    var limits = Server.Limits.patient
    limits.stallSeconds = 1
    let source = TestSource()
    let (stream, handler) = Self.serving(source)
    let server = try TestServer(nil, limits, handler)
    let client = server.client(receiveBuffer: 4096)
    client.get("/stream")
    #expect(client.read(through: "\r\n\r\n") != nil)
    // One event that no buffer holds.
    source.give(String(repeating: "x", count: 20_000_000))
    let begin = monotonicNow()
    stream.wake()
    #expect(source.waitUntilClosed())
    #expect(monotonicNow() - begin >= 1000)
    #expect(server.server.counts.streamsCutOff == 1)
  }

  @Test func `is asked at the last time that was said, however often it changed`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(state: seed)
    let sources = (0..<300).map { _ in TestSource() }
    let streams = sources.map { OpenStream($0) }
    let server = try TestServer { request in
      .stream(streams[Int(TestServer.string(request.path).dropFirst())!], head: StreamHead())
    }
    let start = monotonicNow()
    let clients = sources.indices.map { index in
      sources[index].state.withLock { state in
        state.deadline = start + Int64.random(in: 0...60_000, using: &random)
        state.atDeadline = "now"
      }
      let client = server.client()
      client.get("/\(index)")
      return client
    }
    for _ in 0..<3000 {
      let index = Int.random(in: 0..<300, using: &random)
      sources[index].state.withLock { state in
        if state.deadline != .max { state.deadline = start + Int64.random(in: 0...60_000, using: &random) }
      }
      streams[index].wake()
    }
    for (source, stream) in zip(sources, streams) {
      source.state.withLock { state in
        if state.deadline != .max { state.deadline = start + Int64.random(in: 0...1500, using: &random) }
      }
      stream.wake()
    }
    for client in clients {
      #expect(client.read(through: "\r\n\r\n") != nil, "seed \(seed)")
      #expect(client.read(through: "now") == "now", "seed \(seed)")
    }
  }

  @Test func `of a HEAD is its head, and nothing is asked of the source`() throws {
    let source = TestSource(["one"])
    let (_, handler) = Self.serving(source)
    let server = try TestServer(nil, .init(), handler)
    let client = server.client()
    client.send("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = client.readToEnd()
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
    #expect(answer.hasSuffix("Content-Type: text/event-stream\r\nConnection: close\r\n\r\n"))
    #expect(source.state.withLock { $0.asked } == 0)
    #expect(source.state.withLock { $0.closings } == 1)
    #expect(server.wait { $0.connections == 0 && $0.streams == 0 })
  }

  @Test func `over the maximum is answered otherwise, and there is room again when one has ended`() throws {
    var limits = Server.Limits.patient
    limits.streams = 1
    let sources = Locked<[TestSource]>([])
    let server = try TestServer(nil, limits) { _ in
      let source = TestSource(["one"])
      sources.withLock { $0.append(source) }
      return .stream(OpenStream(source), head: StreamHead())
    }
    let first = server.client()
    first.get("/")
    #expect(first.read(through: "one") != nil)
    let second = server.client()
    second.get("/")
    let answer = try #require(second.answer())
    #expect(answer.status == 503)
    #expect(answer["Retry-After"] == "5")
    #expect(sources.withLock { $0[1].state.withLock { $0.closings } } == 1)
    first.close()
    #expect(server.wait { $0.streams == 0 })
    let third = server.client()
    third.get("/")
    #expect(third.read(through: "one") != nil)
  }

  @Test func `is one of many, all of which are woken and closed`() throws {
    let sources = Locked<[TestSource]>([])
    let server = try TestServer { _ in
      let source = TestSource(["one"])
      sources.withLock { $0.append(source) }
      return .stream(OpenStream(source), head: StreamHead())
    }
    let clients = (0..<200).map { _ in server.client() }
    for client in clients { client.get("/") }
    for client in clients { #expect(client.read(through: "one") != nil) }
    #expect(server.server.counts.streams == 200)
    for source in sources.withLock({ $0 }) { source.give("two") }
    server.server.wakeAllStreams()
    for client in clients { #expect(client.read(through: "two") == "two") }
    for source in sources.withLock({ $0 }) { source.end() }
    server.server.wakeAllStreams()
    for client in clients { #expect(client.readToEnd() == "") }
    for source in sources.withLock({ $0 }) { #expect(source.waitUntilClosed()) }
    #expect(server.wait { $0.streams == 0 })
  }
}

/// A source that keeps who asks it first until it may go.
private final class SlowSource: StreamSource {
  let state = Locked((asked: 0, mayGo: false))

  func next(into out: inout Bytes, at now: Int64) -> StreamStep {
    let isFirst = state.withLock { state in
      state.asked += 1
      return state.asked == 1
    }
    if isFirst { _ = state.wait { $0.mayGo } }
    return .idle(until: .max)
  }

  func hasFallenBehind() -> Bool { false }

  func closed() {}
}

@Suite struct `A wake of all streams` {
  @Test func `reaches the one that is just being opened`() throws {
    let (there, coming) = (TestSource(), SlowSource())
    let server = try TestServer { request in
      let source: any StreamSource = TestServer.string(request.path) == "/there" ? there : coming
      return .stream(OpenStream(source), head: StreamHead())
    }
    let (first, second) = (server.client(), server.client())
    first.get("/there")
    #expect(there.state.wait { $0.asked == 1 } && server.wait { $0.streams == 1 })
    second.get("/coming")
    #expect(coming.state.wait { $0.asked == 1 })
    server.server.wakeAllStreams()
    // All that can be seen have been woken; the other one is not among them yet.
    #expect(there.state.wait { $0.asked == 2 })
    coming.state.withLock { $0.mayGo = true }
    #expect(coming.state.wait { $0.asked == 2 })
  }
}
