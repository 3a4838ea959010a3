/// An X25519 public key (RFC 7748): 32 bytes, written as 43 characters of base64url (RFC 4648 §5, no padding).
package struct PublicKey: Equatable, Sendable {
  package let bytes: [UInt8]

  package static let byteCount = 32

  /// Nil unless they are 32.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Reads the text form; nil unless it is exactly what `text` writes.
  package init?(_ text: some Sequence<UInt8>) {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for character in text {
      guard bytes.count < Self.byteCount, let six = Base64URL.value(of: character) else { return nil }
      bits = bits << 6 | UInt32(six)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    // Of the last character only four bits count.
    guard count == 2, bits & 0b11 == 0 else { return nil }
    self.init(bytes: bytes)
  }

  /// The text form.
  package var text: String {
    var text: [UInt8] = []
    Base64URL.encode(bytes) { text.append($0) }
    return String(decoding: text, as: UTF8.self)
  }
}
