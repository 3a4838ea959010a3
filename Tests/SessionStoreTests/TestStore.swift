import Glibc
import PINEntry
import SessionStore
import Testing

/// A clock that stands still until it is moved.
final class FakeClock: Sendable {
  private let milliseconds: Locked<Int64>

  init(milliseconds: Int64 = 1_000_000_000) { self.milliseconds = Locked(milliseconds) }

  var now: Instant { Instant(milliseconds: milliseconds.withLock { $0 }) }

  func move(milliseconds step: Int64) { milliseconds.withLock { $0 += step } }

  func move(seconds: Int64) { move(milliseconds: seconds * 1000) }

  var clock: Clock { Clock(now: { self.now }, seconds: { UInt32(self.now.milliseconds / 1000) }) }
}

/// A store with a clock of its own whose timers run when the test says so.
///
/// With PINPAD_TEST_REDIS in the environment, the path of a Redis's socket, it is one in that Redis; for the tests of what
/// every store does.
final class TestStore: Sendable {
  let time: FakeClock
  let store: any SessionStore
  private let told: Locked<[Instant]>

  init(maximum: Int = 1_000_000) throws {
    let told = Locked<[Instant]>([])
    self.told = told
    if let path = getenv("PINPAD_TEST_REDIS") {
      // What lies in the past by Redis's own time is gone from it at once.
      time = FakeClock(milliseconds: Int64(Glibc.time(nil)) * 1000)
      store = try Self.redis(String(cString: path), maximum, time.clock)
    } else {
      time = FakeClock()
      store = try MemorySessionStore(maximum: maximum, memoryLock: .preferred, clock: time.clock) { deadline in
        told.withLock { $0.append(deadline) }
      }
    }
  }

  private static func redis(_ path: String, _ maximum: Int, _ clock: Clock) throws -> RedisSessionStore {
    let key = Array(String(repeating: "5a", count: 32).utf8)
    return try RedisSessionStore(
      RedisLink(RedisAddress("redis+unix://\(path)"), milliseconds: 10_000), KeyRing(key.span.bytes), maximum: maximum,
      memoryLock: .preferred, clock: RedisClock(clock, followsRedis: false))
  }

  /// The deadlines that the store has told of so far.
  var deadlinesTold: [Instant] { told.withLock { $0 } }

  func create(_ options: EntryOptions = EntryOptions()) throws(StoreError) -> SessionHandle {
    try store.create(options, presentation)
  }

  /// Moves the clock, and runs the timers as often as they ask for it meanwhile.
  func wait(milliseconds: Int64) {
    let end = Instant(milliseconds: time.now.milliseconds + milliseconds)
    while true {
      let next = store.runTimers(at: time.now)
      if next > end && time.now == end { return }
      time.move(milliseconds: max(0, min(next, end).milliseconds - time.now.milliseconds))
    }
  }

  func wait(seconds: Int64) { wait(milliseconds: seconds * 1000) }
}

let presentation = Presentation(label: "PIN", style: StyleChoice(name: "boxes", options: []))

extension SessionHandle: Equatable {
  static func == (a: SessionHandle, b: SessionHandle) -> Bool { a.id == b.id }

  /// An access; nil: gone. No store of these tests is out of reach.
  @discardableResult func use<R, E: Error>(_ body: (inout SessionAccess) throws(E) -> R) throws(E) -> R? {
    switch try access(body) {
    case .done(let result): return result
    case .gone: return nil
    case .unavailable:
      Issue.record("the store is unavailable")
      return nil
    }
  }

  @discardableResult func insert(_ text: String, at count: Int? = nil) throws(EditError) -> Insertion? {
    try use { access throws(EditError) in try access.insert(text, at: count) }
  }

  @discardableResult func redeem(hold: Bool = false) throws(EditError) -> String? {
    try edit { session, now throws(EditError) in
      try session.redeem(hold: hold, at: now) { session in
        var text = ""
        session.forEachCharacter { text.unicodeScalars.append(Unicode.Scalar($0)) }
        return text
      }
    }
  }

  func cancel() throws(EditError) {
    _ = try edit { session, now throws(EditError) in try session.cancel(at: now) }
  }

  func edit<R>(
    message: String? = nil, _ body: (inout Session, Instant) throws(EditError) -> R
  ) throws(EditError) -> R? {
    try use { access throws(EditError) in
      let now = access.now
      return try access.apply(message: message) { session throws(EditError) in try body(&session, now) }
    }
  }

  /// nil: gone.
  var state: SessionState? { use { $0.session.state } }

  /// The kinds of all events that are kept, from the oldest on.
  var events: [EventKind] { use { $0.events.map(\.kind) } ?? [] }
}

extension SessionAccess {
  mutating func insert(_ text: String, at count: Int? = nil) throws(EditError) -> Insertion {
    let now = now
    return try apply { session throws(EditError) in
      try session.insert(Array(text.utf8).span, if: Precondition(count: count), at: now)
    }
  }

  var events: [EventRecord] {
    session.eventID < firstEventID ? [] : (firstEventID...session.eventID).compactMap { event($0) }
  }
}

/// Counts how often it was told.
final class Watcher: SessionWatcher {
  private let count = Locked(0)

  var wakes: Int { count.withLock { $0 } }

  func wake() { count.withLock { $0 += 1 } }
}
