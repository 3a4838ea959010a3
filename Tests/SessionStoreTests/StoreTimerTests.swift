import PINEntry
import SessionStore
import Testing

/// The timers of a store, by a clock that stands still until it is moved.
@Suite struct StoreTimerTests {
  @Test(arguments: [1, 2, 63, 300, 500, 524, 525, 600, 3600, 86_399, 86_400] as [UInt32])
  func `a session expires when its total time is over, and is gone 300 seconds later`(total: UInt32) throws {
    let test = try TestStore()
    let session = try test.create(EntryOptions(timeouts: Timeouts(total: total)))
    test.wait(milliseconds: Int64(total) * 1000 - 1)
    #expect(test.store.count(.open) == 1)
    test.wait(milliseconds: 65)
    #expect(test.store.count(.expired) == 1)
    test.wait(milliseconds: 299_935)
    #expect(session.state?.status == .expired)
    #expect(try test.store.find(session.id) == session)
    test.wait(milliseconds: 65)
    #expect(test.store.count(.expired) == 0)
    #expect(try test.store.find(session.id) == nil)
    #expect(session.state == nil)
  }

  @Test func `a session that was closed is gone 300 seconds later, whatever its total time`() throws {
    let test = try TestStore()
    let sessions = try [60, 300, 86_400].map { try test.create(EntryOptions(timeouts: Timeouts(total: $0))) }
    test.wait(seconds: 30)
    for session in sessions { try session.cancel() }
    test.wait(milliseconds: 299_999)
    for session in sessions { #expect(session.state?.status == .cancelled) }
    test.wait(milliseconds: 65)
    for session in sessions { #expect(try test.store.find(session.id) == nil) }
    #expect(Status.allCases.allSatisfy { test.store.count($0) == 0 })
  }

  @Test func `those who watch are told when a timer fires, and when the session is gone`() throws {
    let test = try TestStore()
    let session = try test.create(EntryOptions(timeouts: Timeouts(total: 100, firstInput: 10)))
    let watcher = Watcher()
    _ = session.watch(watcher, limit: 1)
    _ = try session.edit { session, now throws(EditError) in try session.begin(at: now) }
    #expect(watcher.wakes == 1)
    test.wait(milliseconds: 10_064)
    #expect(watcher.wakes == 2)
    #expect(session.events == [.begin, .end])
    test.wait(seconds: 90)
    #expect(watcher.wakes == 3)
    test.wait(seconds: 301)
    #expect(watcher.wakes == 4)
    #expect(session.state == nil)
  }

  @Test func `a deadline that edits put off again and again is kept`() throws {
    let test = try TestStore()
    let session = try test.create(
      EntryOptions(length: 32, timeouts: Timeouts(total: 86_400, firstInput: 3, interDigit: 2)))
    for _ in 0..<30 {
      try session.insert("1")
      test.wait(milliseconds: 1_900)
    }
    #expect(session.state?.active == true)
    test.wait(milliseconds: 164)
    #expect(session.state?.active == false)
    for _ in 0..<50 {
      _ = try session.edit { session, now throws(EditError) in try session.begin(at: now) }
      test.wait(milliseconds: 2_999)
      #expect(session.state?.active == true)
      test.wait(milliseconds: 65)
      #expect(session.state?.active == false)
    }
  }

  @Test func `the timers are asked for when a deadline comes before all others, and only then`() throws {
    let test = try TestStore()
    #expect(test.store.runTimers(at: test.time.now) == .never)
    let late = try test.create(EntryOptions(timeouts: Timeouts(total: 100)))
    #expect(test.deadlinesTold == [test.time.now.adding(seconds: 100)])
    _ = try test.create(EntryOptions(timeouts: Timeouts(total: 200)))
    #expect(test.deadlinesTold.count == 1)
    try late.insert("1")
    #expect(test.deadlinesTold.count == 1)
    _ = try test.create(EntryOptions(timeouts: Timeouts(total: 50)))
    #expect(test.deadlinesTold.last == test.time.now.adding(seconds: 50))
    _ = try late.edit { session, now throws(EditError) in
      var options = session.options
      options.timeouts.total = 20
      try session.configure(options, presentationChanged: false, at: now)
    }
    #expect(test.deadlinesTold.last == test.time.now.adding(seconds: 20))
    let next = test.store.runTimers(at: test.time.now)
    #expect(next >= test.time.now.adding(seconds: 20))
    #expect(next.milliseconds <= test.time.now.adding(seconds: 20).milliseconds + 64)
  }

  @Test func `10,000 sessions that end at once all end, and are gone at once`() throws {
    let test = try TestStore()
    let sessions = try (0..<10_000).map { _ in try test.create(EntryOptions(timeouts: Timeouts(total: 60))) }
    #expect(test.store.count(.open) == 10_000)
    test.wait(milliseconds: 60_064)
    #expect(test.store.count(.open) == 0)
    #expect(test.store.count(.expired) == 10_000)
    test.wait(seconds: 300)
    #expect(test.store.count(.expired) == 0)
    #expect(try sessions.allSatisfy { try test.store.find($0.id) == nil })
    #expect(test.store.runTimers(at: test.time.now) == .never)
  }

  @Test(arguments: [400, 524, 525, 10_000, 1_000_000, 100_000_000])
  func `after a long time without a run nothing is left behind`(seconds: Int64) throws {
    let test = try TestStore()
    for total: UInt32 in [1, 5, 63, 64, 99, 100] {
      for _ in 0..<20 { _ = try test.create(EntryOptions(timeouts: Timeouts(total: total))) }
    }
    test.time.move(seconds: seconds)
    test.wait(milliseconds: 64)
    #expect(Status.allCases.allSatisfy { test.store.count($0) == 0 })
    // And it goes on as if nothing had been.
    let session = try test.create(EntryOptions(timeouts: Timeouts(total: 10)))
    test.wait(milliseconds: 9_999)
    #expect(test.store.count(.open) == 1)
    test.wait(milliseconds: 65)
    #expect(session.state?.status == .expired)
    #expect(test.store.count(.expired) == 1)
  }

  @Test func `sessions of any total time, made at any time, each end on time`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = Random(seed)
    let test = try TestStore()
    var waiting: [(session: SessionHandle, ends: Int64)] = []
    for _ in 0..<2000 {
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let total = UInt32.random(in: 1...(Bool.random(using: &random) ? 10 : 3000), using: &random)
        let session = try test.create(EntryOptions(timeouts: Timeouts(total: total)))
        waiting.append((session, test.time.now.milliseconds + Int64(total) * 1000))
      }
      test.wait(milliseconds: .random(in: 0...3000, using: &random))
      let now = test.time.now.milliseconds
      let open = test.store.count(.open)
      // What the store has done by itself, before anybody looks: all but what ended within the last tick.
      #expect(open >= waiting.count { $0.ends > now }, "seed \(seed)")
      #expect(open <= waiting.count { $0.ends > now - 128 }, "seed \(seed)")
      waiting.removeAll { $0.ends <= now - 128 }
    }
  }
}
