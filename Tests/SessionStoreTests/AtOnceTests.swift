import PINEntry
import SessionStore
import TestSupport
import Testing

/// What may happen once of many that ask for it at the same time, and what those see who watch.
@Suite struct AtOnceTests {
  @Test func `of 24 inserts for one revision one is made`() throws {
    let test = try TestStore()
    for _ in 0..<50 {
      let session = try test.create()
      try session.insert("1")
      let results = Locked<[String]>([])
      inParallel(threads: 24) { _ in
        let result = attempt {
          _ = try session.edit { session, now throws(EditError) in
            try session.insert([0x32].span, if: Precondition(revision: .oneOf([1])), at: now)
          }
        }
        results.withLock { $0.append(result) }
      }
      #expect(results.withLock { $0.sorted() } == ["made"] + Array(repeating: "stale", count: 23))
      #expect(session.state?.revision == 2)
    }
  }

  @Test func `six digits at once, each retried at its place, end in the right order`() throws {
    let test = try TestStore()
    for _ in 0..<100 {
      let session = try test.create()
      inParallel(threads: 6) { place in
        while attempt({ try session.insert(String(4 + place), at: place) }) != "made" {}
      }
      #expect(try session.redeem() == "456789")
    }
  }

  @Test func `each of eight who watch reads the same events in the same order while four write`() throws {
    let test = try TestStore()
    let session = try test.create(EntryOptions(length: 3))
    let logs = (0..<8).map { _ in Locked<[EventRecord]>([]) }
    let writing = Locked(4)
    inParallel(threads: 12) { thread in
      if thread < 4 {
        for number in 0..<500 {
          // A quarter of what the log keeps: who reads on all the time misses nothing, and who does waits for nobody.
          while logs.contains(where: { log in
            UInt64(log.withLock { $0.count }) + 64 < session.use { $0.session.eventID } ?? 0
          }) {}
          _ = attempt {
            if (number + thread) % 4 == 0 {
              _ = try session.edit { session, now throws(EditError) in try session.deleteBackward(at: now) }
            } else {
              try session.insert("\(number % 10)")
            }
          }
        }
        writing.withLock { $0 -= 1 }
      } else {
        read(session, into: logs[thread - 4]) { writing.withLock { $0 } == 0 }
      }
    }
    let first = logs[0].withLock { $0 }
    #expect(UInt64(first.count) == session.use { $0.session.eventID })
    for log in logs { #expect(log.withLock { $0 } == first) }
    let revisions = first.map(\.state.revision)
    #expect(zip(revisions, revisions.dropFirst()).allSatisfy { $1 == $0 || $1 == $0 + 1 })
    #expect(first.count { $0.kind == .complete } == Int(session.state?.completion ?? 0))
  }

  @Test func `no more sessions come to be than there may be, however many ask at once`() throws {
    let test = try TestStore(maximum: 100)
    let made = Locked(0)
    inParallel(threads: 8) { _ in
      for _ in 0..<50 where attempt({ _ = try test.create() }) == "made" { made.withLock { $0 += 1 } }
    }
    #expect(made.withLock { $0 } == 100)
    #expect(test.store.count(.open) == 100)
  }

  @Test func `timers that fire while threads edit close each session once`() throws {
    let test = try TestStore()
    let sessions = try (0..<200).map { _ in try test.create(EntryOptions(timeouts: Timeouts(total: 2, interDigit: 1))) }
    inParallel(threads: 4) { thread in
      if thread == 0 {
        for _ in 0..<200 {
          test.time.move(milliseconds: 20)
          _ = test.store.runTimers(at: test.time.now)
        }
      } else {
        for number in 0..<2000 {
          _ = attempt { try sessions[(number * 7 + thread) % 200].insert("1") }
        }
      }
    }
    for session in sessions {
      #expect(session.events.count { $0 == .close } == 1)
      #expect(session.events.last == .close)
      #expect(session.state?.status == .expired)
    }
    #expect(test.store.count(.expired) == 200)
  }

  /// What became of an edit: `made`, or why it was refused.
  private func attempt(_ edit: () throws -> Void) -> String {
    do {
      try edit()
      return "made"
    } catch {
      return "\(error)"
    }
  }

  /// Reads on from where the log ends, as a stream does, until it has all and nobody writes any more.
  private func read(_ session: SessionHandle, into log: Locked<[EventRecord]>, until isDone: () -> Bool) {
    while true {
      let wasDone = isDone()
      let next = UInt64(log.withLock { $0.count }) + 1
      let event = session.use { $0.event(next) } ?? nil
      if let event {
        log.withLock { $0.append(event) }
      } else if wasDone {
        return
      }
    }
  }
}
