import PINEntry
import Testing

@testable import SessionStore

/// What the store does with a text that is sealed to somebody. That the right one can open it is tested from outside.
@Suite struct SealedBoxTests {
  // The base point, which is as good as any other.
  private let key = PublicKey(bytes: [9] + [UInt8](repeating: 0, count: 31))

  private func session(_ store: TestStore) throws -> SessionHandle {
    let style = StyleChoice(name: "boxes", options: [])
    return try store.store.create(
      EntryOptions(length: 4, seals: true), Presentation(label: "PIN", style: style, sealTo: key))
  }

  private func sealed(_ session: SessionHandle) -> [UInt8]? { session.read { $0.sealed } ?? nil }

  private func text(_ session: SessionHandle) -> String? {
    session.read { access in
      var text = ""
      access.session.forEachCharacter { text.unicodeScalars.append(Unicode.Scalar($0)) }
      return text
    }
  }

  @Test func `a text is sealed and wiped when it is complete`() throws {
    let session = try session(TestStore())
    try session.insert("123")
    #expect(sealed(session) == nil && text(session) == "123")
    try session.insert("4")
    #expect(sealed(session)?.count == 52 && text(session) == "")
  }

  @Test func `what was sealed goes with the text`() throws {
    let store = try TestStore()
    for end in [0, 1, 2] {
      let session = try session(store)
      try session.insert("1234")
      #expect(sealed(session) != nil)
      _ = try session.edit { session, now throws(EditError) in
        switch end {
        case 0: try session.clear(at: now)
        case 1: try session.cancel(at: now)
        default: try session.redeem(hold: false, at: now) { _ in }
        }
      }
      #expect(sealed(session) == nil)
    }
  }

  @Test func `what was sealed goes when the session expires`() throws {
    let store = try TestStore()
    let session = try session(store)
    try session.insert("1234")
    store.wait(seconds: 300)
    #expect(session.state?.status == .expired && sealed(session) == nil)
  }

  @Test func `points of low order fit nobody`() throws {
    #expect(try SealedBox.fits(#require(key)))
    for first in [UInt8(0), 1] {
      #expect(try !SealedBox.fits(#require(PublicKey(bytes: [first] + [UInt8](repeating: 0, count: 31)))))
    }
  }
}
