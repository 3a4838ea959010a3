/// A Lua script that Redis runs in one go.
package struct RedisScript: Sendable {
  package let text: String
  /// What Redis knows it by: its SHA-1 in hexadecimal.
  package let hash: String

  package init(_ text: String) {
    self.text = text
    hash = SHA1.hexadecimal(of: Array(text.utf8))
  }
}
