import Glibc
import PINEntry
import SessionStore
import Synchronization
import Testing

@testable import PINService

@Suite("The log")
struct LogTests {
  /// Takes what is written, and keeps it from being written while it is shut.
  private final class Reader: Sendable {
    private let text = Locked([UInt8]())
    private let gate = Locked(())

    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
      gate.withLock { _ in text.withLock { $0 += bytes } }
      return true
    }

    func whileShut(_ body: () -> Void) { gate.withLock { _ in body() } }

    var lines: [String] {
      text.withLock { String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) }
    }
  }

  private static let clock = Clock(now: { Instant(milliseconds: 0) }, seconds: { 1_796_040_000 })

  private func log(_ reader: Reader, capacity: Int = 4096) -> Log {
    Log(clock: Self.clock, capacity: capacity) { reader.take($0) }
  }

  @Test func `is lines of JSON with whole seconds`() {
    let reader = Reader()
    let log = log(reader)
    log.say(.info, "it starts")
    log.say(.error, "it \"can't\"\n\u{1B}[2J\u{9B}é\u{1F600}\\")
    log.close()
    #expect(
      reader.lines == [
        #"{"time":"2026-11-30T12:00:00Z","level":"info","message":"it starts"}"#,
        #"{"time":"2026-11-30T12:00:00Z","level":"error","message":"it \"can't\"\u000a\u001b[2J\u009b\u00e9"#
          + #"\ud83d\ude00\\"}"#,
      ])
  }

  @Test func `leaves out what matters less than its level, but never who got digits`() throws {
    let reader = Reader()
    let log = log(reader)
    log.set(level: .error, requests: false)
    log.say(.info, "info")
    log.say(.warning, "warning")
    log.say(.error, "error")
    log.tellOfRedeem(SessionID(high: 1, low: 2), nil, hold: true, completion: 3)
    log.close()
    #expect(reader.lines.count == 2)
    #expect(reader.lines[0].hasSuffix(#""level":"error","message":"error"}"#))
    let audit = try #require(
      reader.lines[1].wholeMatch(
        of: /(.*)"level":"audit","event":"redeem","session":"([0-9a-f]{32})","hold":true,"completion":3}/))
    #expect(!audit.2.contains("0000000000000001"))
  }

  @Test func `tells of a session by the same hash in one run, and by another in the next`() throws {
    let reader = Reader()
    let id = SessionID(high: 1, low: 2)
    for _ in 0..<2 {
      let log = log(reader)
      for _ in 0..<2 { log.tellOfRedeem(id, nil, hold: false, completion: 1) }
      log.close()
    }
    #expect(reader.lines.count == 4)
    #expect(reader.lines[0] == reader.lines[1])
    #expect(reader.lines[0] != reader.lines[2])
  }

  @Test func `names a request by its trace`() throws {
    let reader = Reader()
    let log = log(reader)
    let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    let trace = text.utf8CString.withUnsafeBytes {
      TraceID(traceparent: UnsafeRawBufferPointer(rebasing: $0.dropLast()))
    }
    log.tell(trace, route: "/v1/sessions/{id}/insert", method: "POST", status: 200, nanoseconds: 36_999)
    log.tell(nil, route: "none", method: "other", status: 404, nanoseconds: 0)
    log.close()
    #expect(
      reader.lines == [
        #"{"time":"2026-11-30T12:00:00Z","level":"info","request":"4bf92f3577b34da6a3ce929d0e0e4736","#
          + #""method":"POST","route":"/v1/sessions/{id}/insert","status":200,"microseconds":36}"#,
        #"{"time":"2026-11-30T12:00:00Z","level":"info","method":"other","route":"none","status":404,"microseconds":0}"#,
      ])
  }

  @Test func `waits for nobody, and says how many lines were lost`() {
    let reader = Reader()
    let log = log(reader, capacity: 1024)
    reader.whileShut {
      for _ in 0..<1000 { log.say(.info, "nobody reads this") }
      #expect(log.droppedLines > 900)
    }
    // The writer goes on: what it took is written, and there is room again for what tells of the rest.
    while reader.lines.count + log.droppedLines < 1000 { sched_yield() }
    log.say(.info, "there is room")
    log.close()
    let told = reader.lines.compactMap { $0.firstMatch(of: /,"dropped":([0-9]+)}$/) }.compactMap { Int($0.1) }
    #expect(told.reduce(0, +) == log.droppedLines)
    #expect(reader.lines.count + log.droppedLines == 1001)
  }

  @Test func `writes requests when a second begins, also after lines that came while others were written`() {
    let writes = Atomic(0)
    let seconds = Locked([Int]())
    let gate = Locked(())
    let log = Log(clock: Self.clock) { _ in
      writes.add(1, ordering: .sequentiallyConsistent)
      gate.withLock { _ in seconds.withLock { $0.append(time(nil)) } }
      return true
    }
    // A request's line that comes before the writer has noticed that there is nothing more to write goes along.
    let isHeld = (0..<5).contains { _ in
      let (begun, done) = (writes.load(ordering: .sequentiallyConsistent), seconds.withLock { $0.count })
      gate.withLock { _ in
        log.say(.info, "this is being written")
        while writes.load(ordering: .sequentiallyConsistent) == begun { sched_yield() }
        log.say(.info, "this comes meanwhile")
      }
      while seconds.withLock({ $0.count }) < done + 2 { sched_yield() }
      let told = time(nil)
      log.tell(nil, route: "/healthz", method: "GET", status: 200, nanoseconds: 1000)
      while seconds.withLock({ $0.count }) < done + 3 { usleep(1000) }
      return seconds.withLock { $0[done + 2] } > told
    }
    log.close()
    #expect(isHeld)
  }

  @Test func `counts lines that could not be written`() {
    let log = Log(clock: Self.clock) { _ in false }
    for _ in 0..<3 { log.say(.warning, "nobody is there") }
    log.close()
    #expect(log.droppedLines == 3)
    log.say(.warning, "after the end")
    #expect(log.droppedLines == 4)
  }

  @Test(arguments: [
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
    ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what is not known yet", true),
    ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", false),
    ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
    ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false),
    ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e47360-0f067aa0ba902b7-01", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-", false),
    ("", false),
  ])
  func `takes a traceparent only as it is specified`(_ text: String, _ isValid: Bool) {
    var text = text
    #expect((text.withUTF8 { TraceID(traceparent: UnsafeRawBufferPointer($0)) } != nil) == isValid)
  }
}
