import PINEntry
import Testing

@testable import SessionStore

/// A text as it leaves the process.
@Suite struct SealedTextTests {
  private let old = String(repeating: "0f", count: 32)
  private let new = String(repeating: "A7", count: 32)

  @Test func `a sealed text opens for its own session, and has nothing of the text`() throws {
    let ring = try ring(new)
    let session = session("987654")
    let sealed = SealedText.seal(session, ring)
    #expect(sealed.count == 81)
    #expect(!String(decoding: sealed, as: UTF8.self).contains("987654"))
    #expect(opened(sealed, session.kept, ring) == "987654")
  }

  @Test func `the same digit a thousand times gives a thousand seals of one size that have no part in common`() throws {
    let ring = try ring(new)
    let session = session("7")
    let sealed = (0..<1000).map { _ in SealedText.seal(session, ring) }
    #expect(Set(sealed).count == 1000)
    #expect(Set(sealed.map(\.count)) == [81])
    // What follows the name of the key: the nonce, the text and the tag.
    for part in [9..<33, 33..<65, 65..<81] { #expect(Set(sealed.map { Array($0[part]) }).count == 1000) }
  }

  @Test func `a seal opens at no other session, revision or count`() throws {
    let ring = try ring(new)
    let session = session("123")
    let sealed = SealedText.seal(session, ring)
    var other = session.kept
    other.id = SessionID(high: session.id.high, low: session.id.low ^ 1)
    #expect(opened(sealed, other, ring) == nil)
    other = session.kept
    other.changedAt += 1
    #expect(opened(sealed, other, ring) == nil)
    other = session.kept
    other.count = 2
    #expect(opened(sealed, other, ring) == nil)
  }

  @Test func `a seal of which one bit was changed, or a part is missing, does not open`() throws {
    let ring = try ring(new)
    let session = session("123")
    let sealed = SealedText.seal(session, ring)
    for bit in 0..<(sealed.count * 8) {
      var changed = sealed
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(opened(changed, session.kept, ring) == nil, "bit \(bit)")
    }
    for count in 0..<sealed.count { #expect(opened(Array(sealed[..<count]), session.kept, ring) == nil) }
  }

  @Test func `a ring opens what its older keys sealed, and seals by its first`() throws {
    let session = session("123")
    let before = SealedText.seal(session, try ring(old))
    let both = try ring("\(new)\n\(old)")
    #expect(opened(before, session.kept, both) == "123")
    let after = SealedText.seal(session, both)
    #expect(opened(after, session.kept, try ring(new)) == "123")
    #expect(opened(after, session.kept, try ring(old)) == nil)
    #expect(opened(before, session.kept, try ring(new)) == nil)
  }

  @Test func `nodes with the same keys make the same tokens and hashes, also after a new key came`() throws {
    let (a, b) = (try ring(old), try ring("# of last year\n  \(old.uppercased())  \r\n\n"))
    let nonce = a.tokens.named(SessionID(high: 1, low: 2))
    let both = try ring("\(new)\n\(old)")
    for keys in [b, both] { #expect(token(keys, nonce) == token(a, nonce)) }
    #expect(token(try ring(new), nonce) != token(a, nonce))
    #expect(hash("k", a.hashes) == hash("k", b.hashes))
    #expect(hash("k", both.hashes) == hash("k", try ring(new).hashes))
    #expect(both.hashes.older.map { hash("k", $0) } == [hash("k", a.hashes)])
  }

  @Test(arguments: [
    ("", KeyRing.Mistake.empty), ("# none\n\n", .empty), ("12", .line(1)),
    ("\n" + String(repeating: "0g", count: 32), .line(2)), (String(repeating: "0f", count: 33), .line(1)),
    (String(repeating: "0f", count: 32) + "\n#\n" + String(repeating: "0F", count: 32), .twice(3)),
  ])
  func `a file that is no ring of keys is refused`(_ text: String, _ mistake: KeyRing.Mistake) {
    #expect(throws: mistake) { try ring(text) }
  }

  private func ring(_ text: String) throws(KeyRing.Mistake) -> KeyRing { try KeyRing(Array(text.utf8).span.bytes) }

  private func session(_ text: String) -> Session {
    let id = SessionID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    var session = Session(id: id, nonce: id, options: EntryOptions(), at: Instant(milliseconds: 0), on: 0)
    _ = try? session.insert(Array(text.utf8).span, at: Instant(milliseconds: 1))
    return session
  }

  private func opened(_ sealed: [UInt8], _ kept: KeptSession, _ ring: KeyRing) -> String? {
    let record = UnsafeMutablePointer<Session>.allocate(capacity: 1)
    defer { record.deallocate() }
    guard sealed.withUnsafeBytes({ SealedText.open($0, of: kept, ring, into: record) }) else { return nil }
    var text = ""
    record.pointee.forEachCharacter { text.unicodeScalars.append(Unicode.Scalar($0)) }
    return text
  }

  private func token(_ ring: KeyRing, _ nonce: SessionID) -> String {
    var text = ""
    ring.tokens.forEachCharacter(.owner, SessionID(high: 3, low: 4), nonce) {
      text.unicodeScalars.append(Unicode.Scalar($0))
    }
    return text
  }
}
