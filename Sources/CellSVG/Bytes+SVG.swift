import WipingBuffer

extension Bytes {
  /// A length or coordinate: rounded to thousandths, without an exponent.
  mutating func append(px value: Double) {
    // What the options allow stays far below; a conversion of what doesn't would trap.
    guard value.isFinite else { return append(byte: UInt8(ascii: "0")) }
    let thousandths = Int64((max(-1e9, min(1e9, value)) * 1000).rounded())
    if thousandths < 0 { append(byte: UInt8(ascii: "-")) }
    let (whole, rest) = UInt64(thousandths.magnitude).quotientAndRemainder(dividingBy: 1000)
    append(decimal: whole)
    var fraction = rest
    guard fraction > 0 else { return }
    append(byte: UInt8(ascii: "."))
    while fraction > 0 {
      append(byte: 0x30 &+ UInt8(truncatingIfNeeded: fraction / 100))
      fraction = fraction % 100 * 10
    }
  }

  /// Markup, then a length or coordinate.
  mutating func append(_ markup: StaticString, px value: Double) {
    append(markup)
    append(px: value)
  }

  /// Markup, then a colour that has been checked.
  mutating func append(_ markup: StaticString, color: String) {
    append(markup)
    append(text: color)
  }

  /// Text that may hold anything: what XML reserves is escaped, what XML 1.0 §2.2 can't hold is left out.
  mutating func append(escaping text: String) {
    var text = text
    text.withUTF8 { utf8 in
      var index = 0
      while index < utf8.count {
        if Self.isNoncharacter(utf8, at: index) {
          index += 3
          continue
        }
        append(escaping: utf8[index])
        index += 1
      }
    }
  }

  private mutating func append(escaping byte: UInt8) {
    switch byte {
    case UInt8(ascii: "&"): append("&amp;")
    case UInt8(ascii: "<"): append("&lt;")
    case UInt8(ascii: ">"): append("&gt;")
    case UInt8(ascii: "\""): append("&quot;")
    case UInt8(ascii: "'"): append("&#39;")
    case 0x09, 0x0A, 0x0D, 0x20...: append(byte: byte)
    default: break
    }
  }

  /// Whether U+FFFE or U+FFFF is written here.
  private static func isNoncharacter(_ utf8: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    index + 2 < utf8.count && utf8[index] == 0xEF && utf8[index + 1] == 0xBF && utf8[index + 2] >= 0xBE
  }
}
