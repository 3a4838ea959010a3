import PINEntry
import Testing

@testable import SessionStore

/// The wheel by itself: when it gives out which session.
@Suite final class TimerWheelTests {
  private let arena: Arena
  /// The wheel's links don't own, so somebody has to, as a store's table does.
  private var made: [MemorySession] = []
  private let wheel = TimerWheel(at: Instant(milliseconds: 1_000_000))

  init() throws { arena = try Arena(.preferred) }

  @Test func `a session is given out at its time, at most 64 ms late and never early`() throws {
    for offset: Int64 in [0, 1, 63, 64, 65, 1000, 99_999, 500_000] {
      let wheel = TimerWheel(at: Instant(milliseconds: 1_000_000))
      let deadline = 1_000_000 + offset
      _ = wheel.put(try session(), at: Instant(milliseconds: deadline))
      if offset > 0 { #expect(wheel.take(at: Instant(milliseconds: deadline - 1), most: 9).isEmpty, "\(offset)") }
      #expect(wheel.take(at: Instant(milliseconds: deadline + 64), most: 9).count == 1, "\(offset)")
      #expect(wheel.take(at: Instant(milliseconds: deadline + 9999), most: 9).isEmpty, "\(offset)")
    }
  }

  @Test func `it says when it has to run, and never without a session`() throws {
    #expect(wheel.nextRun() == .never)
    let session = try session()
    #expect(wheel.put(session, at: Instant(milliseconds: 1_010_000)))
    let run = wheel.nextRun()
    #expect(run >= Instant(milliseconds: 1_010_000))
    #expect(run <= Instant(milliseconds: 1_010_064))
    #expect(wheel.take(at: run, most: 1).first === session)
    #expect(wheel.nextRun() == .never)
  }

  @Test func `only an earlier deadline than all others has it run earlier`() throws {
    let sessions = try (0..<4).map { _ in try session() }
    #expect(wheel.put(sessions[0], at: Instant(milliseconds: 1_050_000)))
    #expect(!wheel.put(sessions[1], at: Instant(milliseconds: 1_060_000)))
    #expect(wheel.put(sessions[2], at: Instant(milliseconds: 1_040_000)))
    #expect(!wheel.put(sessions[3], at: Instant(milliseconds: 1_040_000)))
  }

  @Test func `a session that is put in again has moved`() throws {
    let session = try session()
    _ = wheel.put(session, at: Instant(milliseconds: 1_005_000))
    _ = wheel.put(session, at: Instant(milliseconds: 1_002_000))
    #expect(wheel.take(at: Instant(milliseconds: 1_002_064), most: 9).count == 1)
    #expect(wheel.take(at: Instant(milliseconds: 1_009_000), most: 9).isEmpty)
  }

  @Test(arguments: [0, 1, 2]) func `each of several in a bucket can be taken out`(gone: Int) throws {
    let sessions = try (0..<3).map { _ in try session() }
    for session in sessions { _ = wheel.put(session, at: Instant(milliseconds: 1_001_000)) }
    wheel.remove(sessions[gone])
    wheel.remove(sessions[gone])
    let taken = wheel.take(at: Instant(milliseconds: 1_002_000), most: 9)
    #expect(taken.count == 2)
    #expect(!taken.contains { $0 === sessions[gone] })
  }

  @Test func `many are given out in parts, each once`() throws {
    let sessions = try (0..<1000).map { _ in try session() }
    for (index, session) in sessions.enumerated() {
      _ = wheel.put(session, at: Instant(milliseconds: 1_000_000 + Int64(index % 7) * 100))
    }
    var counts: [Int] = []
    var seen = Set<ObjectIdentifier>()
    while true {
      let taken = wheel.take(at: Instant(milliseconds: 1_010_000), most: 256)
      if taken.isEmpty { break }
      counts.append(taken.count)
      seen.formUnion(taken.map(ObjectIdentifier.init))
    }
    #expect(counts == [256, 256, 256, 232])
    #expect(seen.count == 1000)
  }

  @Test func `a deadline beyond one turn is looked at within the turn, to be put in again`() throws {
    let session = try session()
    let deadline = Instant(milliseconds: 1_000_000 + 86_400_000)
    _ = wheel.put(session, at: deadline)
    var now = wheel.nextRun()
    var looks = 0
    while now < deadline {
      #expect(wheel.take(at: now, most: 9).count == 1)
      looks += 1
      _ = wheel.put(session, at: deadline)
      now = wheel.nextRun()
    }
    #expect(looks < 200)
    #expect(now <= Instant(milliseconds: deadline.milliseconds + 64))
    #expect(wheel.take(at: now, most: 9).count == 1)
  }

  @Test func `after a rest of many turns nothing is missed`() throws {
    let sessions = try (0..<100).map { _ in try session() }
    for (index, session) in sessions.enumerated() {
      _ = wheel.put(session, at: Instant(milliseconds: 1_000_000 + Int64(index) * 5000))
    }
    #expect(wheel.take(at: Instant(milliseconds: 1_000_000_000), most: 1000).count == 100)
  }

  private func session() throws -> MemorySession {
    let id = SessionID(high: 1, low: 1)
    let session = MemorySession(
      id, nonce: id, on: 0, try arena.allocate(),
      Presentation(label: "PIN", style: StyleChoice(name: "boxes", options: [])),
      in: Shard(StoreCommon(.system, arena) { _ in }))
    made.append(session)
    return session
  }
}
