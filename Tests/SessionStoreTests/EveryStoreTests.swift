import PINEntry
import SessionStore
import Testing

/// What every store does.
@Suite struct EveryStoreTests {
  @Test func `a session that was created is found by its id, and no other`() throws {
    let test = try TestStore()
    let session = try test.create()
    #expect(try test.store.find(session.id) == session)
    #expect(try test.store.find(SessionID(high: session.id.high, low: session.id.low ^ 1)) == nil)
    #expect(try test.store.find(session.nonce) == nil)
    #expect(Int64(session.createdOn) == test.time.now.milliseconds / 1000)
  }

  @Test func `ids and nonces differ`() throws {
    let test = try TestStore()
    var seen: Set<SessionID> = []
    for _ in 0..<500 {
      let session = try test.create()
      seen.insert(session.id)
      seen.insert(session.nonce)
    }
    #expect(seen.count == 1000)
  }

  @Test func `an access edits, and sees the state and the events`() throws {
    let test = try TestStore()
    let session = try test.create()
    #expect(try session.insert("123456") == Insertion(accepted: 6, truncated: 0))
    session.use { access in
      #expect(access.session.complete)
      #expect(access.now == test.time.now)
      #expect(access.firstEventID == 1)
      #expect(access.events.map(\.kind) == [.begin, .change, .complete])
      #expect(access.events.allSatisfy { $0.state == access.session.state })
    }
    #expect(try session.redeem() == "123456")
    #expect(session.events == [.begin, .change, .complete, .end, .close])
  }

  @Test func `an edit that is refused leaves no event`() throws {
    let test = try TestStore()
    let session = try test.create()
    #expect(throws: EditError.incomplete) { try session.redeem() }
    #expect(session.events.isEmpty)
  }

  @Test func `whoever watches is told once per edit that has an event, until it stops`() throws {
    let test = try TestStore()
    let session = try test.create()
    let (first, second) = (Watcher(), Watcher())
    #expect(session.watch(first, limit: 2) && session.watch(second, limit: 2))
    try session.insert("12")
    try session.insert("")
    #expect(throws: EditError.incomplete) { try session.redeem() }
    _ = session.state
    #expect(first.wakes == 1 && second.wakes == 1)
    session.unwatch(first)
    session.unwatch(first)
    try session.insert("3")
    #expect(first.wakes == 1 && second.wakes == 2)
  }

  @Test func `no more than the limit may watch`() throws {
    let test = try TestStore()
    let session = try test.create()
    let watchers = (0..<64).map { _ in Watcher() }
    for watcher in watchers { #expect(session.watch(watcher, limit: 64)) }
    #expect(!session.watch(Watcher(), limit: 64))
    session.unwatch(watchers[10])
    #expect(session.watch(Watcher(), limit: 64))
  }

  @Test func `whoever comes late sees timers as if they had fired on time, though none was run`() throws {
    let test = try TestStore()
    let session = try test.create(EntryOptions(timeouts: Timeouts(total: 100, interDigit: 5)))
    try session.insert("1")
    test.time.move(seconds: 5)
    #expect(session.events == [.begin, .change, .end])
    test.time.move(seconds: 95)
    #expect(session.events == [.begin, .change, .end, .close])
    test.time.move(milliseconds: 299_999)
    #expect(session.state?.status == .expired)
    test.time.move(milliseconds: 1)
    #expect(session.state == nil)
    #expect(throws: Never.self) { try session.insert("1") }
  }

  @Test func `an edit that comes late is refused, and those who watch are told of the end`() throws {
    let test = try TestStore()
    let session = try test.create()
    let watcher = Watcher()
    _ = session.watch(watcher, limit: 1)
    test.time.move(seconds: 300)
    #expect(throws: EditError.closed) { try session.insert("1") }
    #expect(watcher.wakes == 1)
    #expect(session.events == [.close])
  }
}
