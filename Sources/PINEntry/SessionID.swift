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
  package init?(_ text: some Sequence<UInt8>) {
    var high: UInt64 = 0
    var low: UInt64 = 0
    var count = 0
    for byte in text {
      guard count < Self.textCount, let six = Base64URL.value(of: byte) else { return nil }
      count += 1
      if count == Self.textCount {
        // 21 characters hold 126 bits; the last one holds two and four zeros.
        guard six & 0b1111 == 0 else { return nil }
        high = high << 2 | low >> 62
        low = low << 2 | UInt64(six >> 4)
      } else {
        high = high << 6 | low >> 58
        low = low << 6 | UInt64(six)
      }
    }
    guard count == Self.textCount else { return nil }
    self.init(high: high, low: low)
  }

  /// Calls `body` with each character of the text form, in ASCII.
  package func forEachCharacter(_ body: (UInt8) -> Void) {
    var high = high
    var low = low
    for _ in 0..<Self.textCount {
      body(Base64URL.character(UInt8(high >> 58)))
      high = high << 6 | low >> 58
      low = low << 6
    }
  }

  /// The text form.
  package var text: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.textCount)
    forEachCharacter { bytes.append($0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
