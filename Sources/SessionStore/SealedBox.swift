internal import CSodium
package import PINEntry

/// A text sealed to somebody's public key by libsodium's `crypto_box_seal`: an ephemeral X25519 key and
/// XSalsa20-Poly1305. It is 48 bytes longer than the text, and only the private key opens it.
package enum SealedBox {
  /// Whether a text can be sealed to it. It can't to a point of low order, such as 0, since anybody could open it.
  package static func fits(_ key: PublicKey) -> Bool {
    Sodium.start()
    return seal([], to: key) != nil
  }

  /// Seals a session's text.
  ///
  /// - Parameter key: one that `fits`.
  static func seal(_ session: borrowing Session, to key: PublicKey) -> [UInt8] {
    var text = InlineArray<32, UInt8>(repeating: 0)
    var end = 0
    session.forEachCharacter { character in
      text[end] = character
      end += 1
    }
    let sealed = withUnsafeMutableBytes(of: &text) { text in
      defer { sodium_memzero(text.baseAddress, text.count) }
      return seal(UnsafeRawBufferPointer(rebasing: text[..<end]), to: key)
    }
    guard let sealed else { preconditionFailure("a key that does not fit is refused when a session is created") }
    return sealed
  }

  private static func seal(_ text: UnsafeRawBufferPointer, to key: PublicKey) -> [UInt8]? {
    var sealed = [UInt8](repeating: 0, count: crypto_box_sealbytes() + text.count)
    let failed = crypto_box_seal(
      &sealed, text.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(text.count), key.bytes)
    return failed == 0 ? sealed : nil
  }

  private static func seal(_ text: [UInt8], to key: PublicKey) -> [UInt8]? {
    text.withUnsafeBytes { seal($0, to: key) }
  }
}
