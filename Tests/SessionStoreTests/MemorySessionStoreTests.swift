import PINEntry
import SessionStore
import Testing

@Suite struct MemorySessionStoreTests {
  @Test func `a session that was created is found by its id, and no other`() throws {
    let test = try TestStore()
    let session = try test.create()
    #expect(test.store.find(session.id) == session)
    #expect(test.store.find(SessionID(high: session.id.high, low: session.id.low ^ 1)) == nil)
    #expect(test.store.find(session.nonce) == nil)
    #expect(session.createdOn == 1_000_000)
  }

  @Test func `ids and nonces differ`() throws {
    let test = try TestStore()
    var seen: Set<SessionID> = []
    for _ in 0..<1000 {
      let session = try test.create()
      seen.insert(session.id)
      seen.insert(session.nonce)
    }
    #expect(seen.count == 2000)
  }

  @Test func `there are no more sessions than there may be, closed ones among them, until one is gone`() throws {
    let test = try TestStore(maximum: 2)
    let first = try test.create()
    _ = try test.create()
    #expect(throws: StoreError.full) { try test.create() }
    try first.cancel()
    #expect(throws: StoreError.full) { try test.create() }
    test.wait(seconds: 299)
    #expect(throws: StoreError.full) { try test.create() }
    test.wait(seconds: 2)
    _ = try test.create()
    #expect(throws: StoreError.full) { try test.create() }
  }

  @Test func `sessions are counted by status`() throws {
    let test = try TestStore()
    let sessions = try (0..<6).map { _ in try test.create(EntryOptions(length: 1, maxAttempts: 1)) }
    for session in sessions.prefix(4) { try session.insert("1") }
    try sessions[0].redeem()
    try sessions[1].redeem(hold: true)
    _ = try sessions[1].edit { session, now throws(EditError) in try session.accept(at: now) }
    try sessions[2].redeem(hold: true)
    _ = try sessions[2].edit { session, now throws(EditError) in try session.reject(at: now) }
    try sessions[4].cancel()
    #expect(counts(test) == [2, 1, 1, 1, 1, 0])
    test.wait(seconds: 299)
    #expect(counts(test) == [2, 1, 1, 1, 1, 0])
    test.wait(seconds: 2)
    #expect(counts(test) == [0, 0, 0, 0, 0, 2])
    test.wait(seconds: 300)
    #expect(counts(test) == [0, 0, 0, 0, 0, 0])
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

  @Test func `more sessions than one chunk has room for keep their own texts`() throws {
    let test = try TestStore()
    let sessions = try (0..<20_000).map { _ in try test.create() }
    for (index, session) in sessions.enumerated() { try session.insert(String(100_000 + index)) }
    for (index, session) in sessions.enumerated() { #expect(try session.redeem() == String(100_000 + index)) }
  }

  @Test func `a session that takes the memory of one that is gone has nothing of it`() throws {
    let test = try TestStore(maximum: 1)
    let gone = try test.create()
    try gone.insert("987654")
    try gone.cancel()
    test.wait(seconds: 301)
    let session = try test.create()
    #expect(gone.state == nil)
    #expect(gone.id != session.id)
    #expect(session.state?.count == 0)
    #expect(session.events.isEmpty)
    try session.insert("1")
    #expect(gone.state == nil && gone.events.isEmpty)
  }

  private func counts(_ test: TestStore) -> [Int] { Status.allCases.map { test.store.count($0) } }
}
