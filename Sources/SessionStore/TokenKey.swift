internal import CSodium
package import PINEntry

/// What a token's holder may do.
package enum Role: UInt8, Sendable, CaseIterable {
  /// Type.
  case entry
  /// Everything.
  case owner

  /// How its tokens begin, so that a leaked one can be recognised.
  package var prefix: StaticString {
    switch self {
    case .entry: "pinent_"
    case .owner: "pinown_"
    }
  }
}

/// The key that tokens are made with. A token is a keyed BLAKE2b of 256 bits of the session's id, the role and the
/// session's nonce: it need not be kept to be checked, nor to be given again when a creation is retried.
package struct TokenKey: Sendable {
  private let key: [UInt8]

  /// A random key, which lives as long as the process.
  package init() {
    Sodium.start()
    var key = [UInt8](repeating: 0, count: Int(crypto_generichash_KEYBYTES))
    randombytes_buf(&key, key.count)
    self.key = key
  }

  /// Calls `body` with each character of a token, in ASCII.
  package func forEachCharacter(_ role: Role, _ id: SessionID, _ nonce: SessionID, _ body: (UInt8) -> Void) {
    role.prefix.withUTF8Buffer { $0.forEach(body) }
    var mac = mac(role, id, nonce)
    defer { withUnsafeMutableBytes(of: &mac) { sodium_memzero($0.baseAddress, $0.count) } }
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for index in mac.indices {
      bits = bits << 8 | UInt32(mac[index])
      count += 8
      while count >= 6 {
        count -= 6
        body(Base64URL.character(UInt8(truncatingIfNeeded: bits >> count & 63)))
      }
    }
    body(Base64URL.character(UInt8(truncatingIfNeeded: bits << (6 - count) & 63)))
  }

  /// Whose token it is; nil if it is none of this session.
  package func role(of presented: UnsafeRawBufferPointer, _ id: SessionID, _ nonce: SessionID) -> Role? {
    Role.allCases.first { role in
      let prefix = role.prefix.utf8CodeUnitCount
      guard presented.count == prefix + 43,
        presented.starts(with: UnsafeRawBufferPointer(start: role.prefix.utf8Start, count: prefix))
      else { return false }
      return matches(UnsafeRawBufferPointer(rebasing: presented[prefix...]), role, id, nonce)
    }
  }

  /// Compares in constant time, after decoding; of the many ways to write the last bits only the right one counts.
  private func matches(
    _ text: UnsafeRawBufferPointer, _ role: Role, _ id: SessionID, _ nonce: SessionID
  ) -> Bool {
    var presented = InlineArray<32, UInt8>(repeating: 0)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    var index = 0
    for character in text {
      guard let six = Base64URL.value(of: character) else { return false }
      bits = bits << 6 | UInt32(six)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      presented[index] = UInt8(truncatingIfNeeded: bits >> count)
      index += 1
    }
    guard index == 32, bits & (1 << count - 1) == 0 else { return false }
    var expected = mac(role, id, nonce)
    return withUnsafeBytes(of: &expected) { expected in
      withUnsafeBytes(of: &presented) { sodium_memcmp(expected.baseAddress!, $0.baseAddress!, 32) == 0 }
    }
  }

  private func mac(_ role: Role, _ id: SessionID, _ nonce: SessionID) -> InlineArray<32, UInt8> {
    var message: [5 of UInt64] = [id.high, id.low, nonce.high, nonce.low, UInt64(role.rawValue)]
    var out = InlineArray<32, UInt8>(repeating: 0)
    withUnsafeBytes(of: &message) { message in
      withUnsafeMutableBytes(of: &out) { out in
        // Lengths are within BLAKE2b's limits, so it can't fail.
        _ = crypto_generichash(
          out.baseAddress!.assumingMemoryBound(to: UInt8.self), 32,
          message.baseAddress!.assumingMemoryBound(to: UInt8.self), UInt64(message.count), key, key.count)
      }
    }
    return out
  }
}
