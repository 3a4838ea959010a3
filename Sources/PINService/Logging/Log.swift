import PINEntry
package import SessionStore
import Synchronization

/// The program's log: JSON objects, a line each. None has a path with an id, a body, a token or a digit in it, and no
/// call waits for whoever reads it.
package final class Log: Sendable {
  private let writer: LogWriter
  private let clock: Clock
  private let hashing = HashKey()
  private let level = Atomic<Int>(0)
  private let requests = Atomic<Bool>(false)

  /// Bytes of lines that wait for their reader; more are dropped, and counted.
  private static let capacity = 262_144

  /// - Parameters:
  ///   - sink: writes bytes of lines, on the log's own thread, for as long as it takes; false: they are lost.
  package init(
    clock: Clock = .system, capacity: Int = Log.capacity, sink: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
  ) {
    self.clock = clock
    writer = LogWriter(capacity: capacity, sink: sink)
    set(level: .info, requests: false)
  }

  /// Decides what is logged from now on.
  ///
  /// - Parameters:
  ///   - level: what matters less is left out.
  ///   - requests: whether each request has a line, whatever the level.
  package func set(level: LogLevel, requests: Bool) {
    self.level.store(Self.weight(level), ordering: .relaxed)
    self.requests.store(requests, ordering: .relaxed)
  }

  /// Whether each request is to have a line.
  var takesRequests: Bool { requests.load(ordering: .relaxed) }

  /// Lines that were dropped since the start.
  package var droppedLines: Int { writer.droppedLines }

  /// Says something about the program.
  package func say(_ level: LogLevel, _ message: String) {
    guard Self.weight(level) <= self.level.load(ordering: .relaxed) else { return }
    var line = LogLine(level, at: clock.seconds())
    line.add("message", text: message)
    line.withBytes { writer.append($0, isPressing: true) }
  }

  /// Tells of one request that has its answer.
  func tell(_ request: TraceID?, route: String, method: String, status: Int, nanoseconds: UInt64) {
    var line = LogLine(.info, at: clock.seconds())
    line.add(request)
    line.add("method", text: method)
    line.add("route", text: route)
    line.add("status", number: status)
    line.add("microseconds", number: nanoseconds / 1000)
    line.withBytes { writer.append($0, isPressing: false) }
  }

  /// Tells that a session's digits were handed over. The session is a keyed hash of its id: the same in all lines of one
  /// run of the program, and no way to the session.
  func tellOfRedeem(_ session: SessionID, _ request: TraceID?, hold: Bool, completion: some FixedWidthInteger) {
    let hash = withUnsafeBytes(of: (session.high, session.low)) { hashing.hash($0) }
    var line = LogLine(.audit, at: clock.seconds())
    line.add(request)
    line.add("event", "redeem")
    line.add("session", high: hash.high, low: hash.low)
    line.add("hold", flag: hold)
    line.add("completion", number: completion)
    line.withBytes { writer.append($0, isPressing: true) }
  }

  /// Writes what there is, for a second at most; whatever is said later is lost.
  package func close() { writer.close(within: 1000) }

  private static func weight(_ level: LogLevel) -> Int {
    switch level {
    case .audit: 0
    case .error: 1
    case .warning: 2
    case .info: 3
    }
  }
}
