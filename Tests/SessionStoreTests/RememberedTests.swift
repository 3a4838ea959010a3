import PINEntry
import SessionStore
import Testing

/// What a session remembers for retries.
@Suite struct RememberedTests {
  private let hashes = HashKey()

  @Test func `a change is recalled by its key, as it was answered`() throws {
    let test = try TestStore()
    let session = try test.create()
    try remember("k", request: "insert 1", in: session, "1")
    try session.insert("2")
    let recalled = try #require(session.use { $0.recall(hash("k", hashes)) } ?? nil)
    #expect(recalled.request == hash("insert 1", hashes))
    #expect(recalled.outcome.state.count == 1)
    #expect(recalled.outcome.state.revision == 1)
    #expect(recalled.outcome.eventID == 2)
    #expect(recalled.outcome.insertion == Insertion(accepted: 1, truncated: 0))
    #expect(!isRemembered("l", in: session))
  }

  @Test func `the newest 32 are remembered`() throws {
    let test = try TestStore()
    let session = try test.create(EntryOptions(length: 32))
    for number in 0..<33 { try remember("\(number)", request: "", in: session, "") }
    #expect(!isRemembered("0", in: session))
    for number in 1..<33 { #expect(isRemembered("\(number)", in: session)) }
  }

  @Test func `nothing is remembered once the session has closed`() throws {
    let test = try TestStore()
    let session = try test.create()
    try remember("k", request: "", in: session, "1")
    try session.cancel()
    #expect(!isRemembered("k", in: session))
    session.use { access in
      let outcome = Outcome(
        state: access.session.state, eventID: access.session.eventID, insertion: nil, details: nil)
      access.remember(hash("l", hashes), request: hash("", hashes), outcome)
    }
    #expect(!isRemembered("l", in: session))
  }

  @Test func `nothing is remembered once the session has expired`() throws {
    let test = try TestStore()
    let session = try test.create()
    try remember("k", request: "", in: session, "1")
    test.time.move(seconds: 300)
    #expect(!isRemembered("k", in: session))
    #expect(session.state?.status == .expired)
  }

  private func remember(
    _ key: String, request: String, in session: SessionHandle, _ text: String
  ) throws {
    _ = try session.use { access throws(EditError) in
      let insertion = try access.insert(text)
      let outcome = Outcome(
        state: access.session.state, eventID: access.session.eventID, insertion: insertion, details: nil)
      access.remember(hash(key, hashes), request: hash(request, hashes), outcome)
    }
  }

  private func isRemembered(_ key: String, in session: SessionHandle) -> Bool {
    session.use { $0.recall(hash(key, hashes)) != nil } ?? false
  }
}
