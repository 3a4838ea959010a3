import PINEntry
import SessionStore
import Testing

@Suite struct MemorySessionStoreTests {
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
