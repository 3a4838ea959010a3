/// The alphabet of RFC 4648 §5.
package enum Base64URL {
  private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  /// The character for six bits.
  package static func character(_ six: UInt8) -> UInt8 { alphabet.utf8Start[Int(six & 63)] }

  /// Calls `body` with each character of the text of `bytes`, without padding.
  package static func encode(_ bytes: some Sequence<UInt8>, _ body: (UInt8) -> Void) {
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        body(character(UInt8(truncatingIfNeeded: bits >> count & 63)))
      }
    }
    if count > 0 { body(character(UInt8(truncatingIfNeeded: bits << (6 - count) & 63))) }
  }

  /// The six bits of a character, nil outside the alphabet.
  package static func value(of character: UInt8) -> UInt8? {
    switch character {
    case 0x41...0x5A: character &- 0x41
    case 0x61...0x7A: character &- 0x61 &+ 26
    case 0x30...0x39: character &- 0x30 &+ 52
    case 0x2D: 62
    case 0x5F: 63
    default: nil
    }
  }
}
