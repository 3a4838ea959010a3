/// The name of a session: 128 random bits, written as 22 characters of base64url (RFC 4648 §5, no padding).
package struct SessionID: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Length of the text form.
  package static let textCount = 22

  /// Reads the text form; nil unless it is exactly what `text` writes, so that each session has one URL.
  package init?(_ text: UnsafeRawBufferPointer) {
    guard text.count == Self.textCount else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for byte in text.dropLast() {
      guard let six = Base64URL.value(of: byte) else { return nil }
      high = high << 6 | low >> 58
      low = low << 6 | UInt64(six)
    }
    // 21 characters hold 126 bits; the last one holds two and four zeros.
    guard let last = Base64URL.value(of: text[Self.textCount - 1]), last & 0b1111 == 0 else { return nil }
    self.init(high: high << 2 | low >> 62, low: low << 2 | UInt64(last >> 4))
  }

  /// The text form, in ASCII.
  package var characters: InlineArray<22, UInt8> {
    var characters = InlineArray<22, UInt8>(repeating: 0)
    var high = high
    var low = low
    for index in characters.indices {
      characters[index] = Base64URL.character(UInt8(high >> 58))
      high = high << 6 | low >> 58
      low = low << 6
    }
    return characters
  }

  /// The text form.
  package var text: String { characters.withBytes { String(decoding: $0, as: UTF8.self) } }
}

extension InlineArray where Element == UInt8 {
  /// Calls `body` with the bytes, where they are.
  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    span.withUnsafeBytes(body)
  }
}
