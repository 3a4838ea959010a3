import SessionStore

/// A key that may create sessions, only as a keyed hash of it.
package struct APIKey: Hashable, Sendable {
  private let hash: Hash128

  /// Nil unless it is of 16 visible ASCII characters at least.
  package init?(_ key: some StringProtocol) {
    guard key.utf8.count >= 16, key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    // As long as that a string's bytes are in the heap, which is wiped.
    var key = String(key)
    hash = key.withUTF8 { Self.hashing.hash(UnsafeRawBufferPointer($0)) }
  }

  /// What was presented as a key.
  fileprivate init(presented: UnsafeRawBufferPointer) { hash = Self.hashing.hash(presented) }

  private static let hashing = HashKey()
}

/// The keys that may create sessions.
struct APIKeys: Sendable {
  private let keys: [APIKey]

  init(_ keys: [APIKey]) { self.keys = keys }

  var isEmpty: Bool { keys.isEmpty }

  /// Whether a key is one of these. Which one fits shows in no time, as what is compared is a keyed hash.
  func contains(_ presented: UnsafeRawBufferPointer) -> Bool { keys.contains(APIKey(presented: presented)) }
}
