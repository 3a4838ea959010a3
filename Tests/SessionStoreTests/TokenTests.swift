import PINEntry
import SessionStore
import Testing

/// The tokens of a session, and the hashes of what must not be kept.
@Suite struct TokenTests {
  private let key = TokenKey()
  private let id = SessionID(high: 0x0123_4567_89AB_CDEF, low: 42)
  private let nonce = SessionID(high: 7, low: 8)

  @Test(arguments: [(Role.entry, "pinent_"), (.owner, "pinown_")])
  func `a token is a prefix and 43 characters of base64url`(role: Role, prefix: String) {
    let token = token(key, role, id, nonce)
    #expect(token.hasPrefix(prefix))
    #expect(token.utf8.count == 7 + 43)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    #expect(token.dropFirst(7).allSatisfy { alphabet.contains($0) })
  }

  @Test(arguments: Role.allCases) func `a token shows whose it is`(role: Role) {
    #expect(self.role(of: token(key, role, id, nonce)) == role)
  }

  @Test func `a token can be made again, and is another for each key, role, session and nonce`() {
    #expect(token(key, .entry, id, nonce) == token(key, .entry, id, nonce))
    let tokens = [
      token(key, .entry, id, nonce), token(key, .owner, id, nonce), token(TokenKey(), .entry, id, nonce),
      token(key, .entry, nonce, id), token(key, .entry, SessionID(high: 1, low: 42), nonce),
      token(key, .entry, id, SessionID(high: 7, low: 9)),
    ]
    #expect(Set(tokens.map { $0.dropFirst(7) }).count == tokens.count)
  }

  @Test func `a token of another session, or of another key, is none`() {
    #expect(role(of: token(key, .owner, SessionID(high: 1, low: 1), nonce)) == nil)
    #expect(role(of: token(TokenKey(), .owner, id, nonce)) == nil)
  }

  @Test func `a token with the other role's prefix is none`() {
    let entry = token(key, .entry, id, nonce)
    #expect(role(of: "pinown_" + entry.dropFirst(7)) == nil)
  }

  @Test func `a token that differs in any character is none`() {
    let right = Array(token(key, .owner, id, nonce).utf8)
    for index in right.indices {
      for bit in 0..<7 {
        var wrong = right
        wrong[index] ^= 1 << UInt8(bit)
        #expect(role(of: String(decoding: wrong, as: UTF8.self)) == nil)
      }
    }
  }

  @Test(arguments: ["", "pinown_", "pinown", "x"]) func `what is no token is none`(presented: String) {
    let right = token(key, .owner, id, nonce)
    #expect(role(of: presented) == nil)
    #expect(role(of: right + presented + "A") == nil)
    #expect(role(of: String(right.dropLast())) == nil)
  }

  @Test func `a hash stands for the same bytes under the same key only`() {
    let hashes = HashKey()
    #expect(hash("123456", hashes) == hash("123456", hashes))
    #expect(hash("123456", hashes) != hash("123457", hashes))
    #expect(hash("123456", hashes) != hash("123456", HashKey()))
    #expect(hash("", hashes) != hash("\0", hashes))
  }

  private func role(of presented: String) -> Role? {
    Array(presented.utf8).withUnsafeBytes { key.role(of: $0, key.hashes(id, nonce)) }
  }

  private func token(_ key: TokenKey, _ role: Role, _ id: SessionID, _ nonce: SessionID) -> String {
    var token: [UInt8] = []
    key.forEachCharacter(role, id, nonce) { token.append($0) }
    return String(decoding: token, as: UTF8.self)
  }
}

/// A keyed hash of a text.
func hash(_ text: String, _ key: HashKey) -> Hash128 { Array(text.utf8).withUnsafeBytes { key.hash($0) } }
