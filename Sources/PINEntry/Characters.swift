/// How a text that was typed or pasted is read for an alphabet, without ever keeping a copy of it.
///
/// Decimal digits of any script count as that digit; white space, dashes, format characters and `.` `_` `/` are
/// dropped; for `alphanumeric` `a`–`z` are folded. Everything else is refused. Nothing is normalised, so a digit with
/// a combining mark is refused by the mark.
enum Characters {
  /// How many characters of `text` are left after dropping; throws at the first that is refused.
  ///
  /// - Parameter text: valid UTF-8.
  static func count(in text: Span<UInt8>, _ alphabet: Alphabet) throws(EditError) -> Int {
    var kept = 0
    var index = 0
    var offset = 0
    while offset < text.count {
      switch reading(of: scalar(in: text, at: &offset), alphabet) {
      case .taken: kept += 1
      case .dropped: break
      case .refused: throw .invalidCharacter(index: index)
      }
      index += 1
    }
    return kept
  }

  /// Calls `body` with the first `limit` characters that are left of a text that `count` has accepted, in ASCII.
  static func forEach(in text: Span<UInt8>, _ alphabet: Alphabet, limit: Int, _ body: (UInt8) -> Void) {
    var left = limit
    var offset = 0
    while offset < text.count && left > 0 {
      guard case .taken(let character) = reading(of: scalar(in: text, at: &offset), alphabet) else { continue }
      body(character)
      left -= 1
    }
  }

  private enum Reading {
    case taken(UInt8)
    case dropped
    case refused
  }

  private static func reading(of scalar: UInt32, _ alphabet: Alphabet) -> Reading {
    switch scalar {
    case 0x30...0x39: return .taken(UInt8(truncatingIfNeeded: scalar))
    case 0x41...0x5A where alphabet == .alphanumeric: return .taken(UInt8(truncatingIfNeeded: scalar))
    case 0x61...0x7A where alphabet == .alphanumeric: return .taken(UInt8(truncatingIfNeeded: scalar &- 0x20))
    case 0x2E, 0x5F, 0x2F: return .dropped
    default: break
    }
    guard let properties = Unicode.Scalar(scalar)?.properties else { return .refused }
    if properties.numericType == .decimal, let value = properties.numericValue {
      // A decimal digit's value is a whole number from 0 to 9 (UAX #44).
      return .taken(0x30 &+ UInt8(value))
    }
    if properties.isWhitespace || properties.isDash || properties.generalCategory == .format { return .dropped }
    return .refused
  }

  /// The scalar that begins at `offset`, which is moved behind it.
  private static func scalar(in text: Span<UInt8>, at offset: inout Int) -> UInt32 {
    let first = UInt32(text[offset])
    offset += 1
    guard first >= 0x80 else { return first }
    let following = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
    var value = first & (0x3F >> UInt32(following))
    for _ in 0..<following where offset < text.count {
      value = value << 6 | UInt32(text[offset] & 0x3F)
      offset += 1
    }
    return value
  }
}
