/// The alphabet of RFC 4648 §5.
package enum Base64URL {
  private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  /// The character for six bits.
  package static func character(_ six: UInt8) -> UInt8 { alphabet.utf8Start[Int(six & 63)] }

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
