import Testing

@testable import PINEntry

/// A session whose text is sealed, and wiped, when it is complete; the sealing itself is the store's.
@Suite struct SealedTests {
  private let now = Instant(milliseconds: 0)

  private func session(_ text: String, length: UInt8 = 4) throws -> Session {
    let id = SessionID(high: 1, low: 2)
    var session = Session(id: id, nonce: id, options: EntryOptions(length: length, seals: true), at: now, on: 0)
    _ = try session.set(Array(text.utf8).span, at: now)
    return session
  }

  private func text(of session: borrowing Session) -> String {
    var text = ""
    session.forEachCharacter { text.unicodeScalars.append(Unicode.Scalar($0)) }
    return text
  }

  @Test func `only a complete text is sealed`() throws {
    #expect(try !session("123").isSealed)
    #expect(try session("1234").isSealed)
  }

  @Test func `a text that is wiped keeps its count and gives no character`() throws {
    var session = try session("1234")
    #expect(text(of: session) == "1234")
    session.wipeText()
    #expect(text(of: session) == "")
    #expect(session.count == 4 && session.complete && session.completion == 1)
  }

  @Test func `no character of it can be removed, and its length stays`() throws {
    var session = try session("1234")
    session.wipeText()
    let before = session.state
    #expect(throws: EditError.sealed) { try session.deleteBackward(at: now) }
    #expect(throws: EditError.full) { _ = try session.insert(Array("5".utf8).span, at: now) }
    #expect(throws: EditError.sealed) {
      try session.configure(EntryOptions(length: 5, seals: true), presentationChanged: false, at: now)
    }
    #expect(session.state == before)
  }

  @Test func `it can be set anew, cleared and rejected`() throws {
    var session = try session("1234")
    session.wipeText()
    _ = try session.set(Array("5678".utf8).span, at: now)
    #expect(text(of: session) == "5678" && session.completion == 2)
    session.wipeText()
    try session.clear(at: now)
    #expect(session.count == 0 && !session.isSealed)
    _ = try session.insert(Array("1234".utf8).span, at: now)
    session.wipeText()
    try session.redeem(hold: true, at: now) { _ in }
    try session.reject(at: now)
    #expect(session.count == 0 && session.attempts == 1)
  }
}

@Suite struct PublicKeyTests {
  @Test(arguments: [UInt8(0), 1, 0x7F, 0xFF])
  func `a key is read as it is written`(_ byte: UInt8) throws {
    let key = try #require(PublicKey(bytes: [UInt8](repeating: byte, count: 31) + [7]))
    #expect(key.text.utf8.count == 43)
    #expect(PublicKey(key.text.utf8) == key)
  }

  @Test(arguments: [
    "", String(repeating: "A", count: 42), String(repeating: "A", count: 44), String(repeating: "A", count: 42) + "B",
    String(repeating: "A", count: 42) + "=", String(repeating: "A", count: 42) + "+",
  ])
  func `what is not exactly 32 bytes in base64url is no key`(_ text: String) {
    #expect(PublicKey(text.utf8) == nil)
  }
}
