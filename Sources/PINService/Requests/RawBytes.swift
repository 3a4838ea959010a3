import Glibc

/// What request parsing needs of borrowed bytes.
extension UnsafeRawBufferPointer {
  func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && starts(with: text) }

  /// ASCII letters of either case are the same.
  func equalsIgnoringCase(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for (byte, letter) in zip(self, UnsafeBufferPointer(start: text.utf8Start, count: count)) {
      guard Self.lowercase(byte) == Self.lowercase(letter) else { return false }
    }
    return true
  }

  func starts(with text: StaticString) -> Bool {
    guard count >= text.utf8CodeUnitCount, let start = baseAddress else { return text.utf8CodeUnitCount == 0 }
    return memcmp(start, text.utf8Start, text.utf8CodeUnitCount) == 0
  }

  /// A number in decimal without sign; nil for anything else, or if it doesn't fit.
  var decimal: UInt64? {
    guard !isEmpty else { return nil }
    var number: UInt64 = 0
    for byte in self {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      let (tenfold, overflows) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = tenfold.addingReportingOverflow(UInt64(byte &- 0x30))
      guard !overflows, !overflowsToo else { return nil }
      number = sum
    }
    return number
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}

extension Slice<UnsafeRawBufferPointer> {
  /// Without the optional white space of HTTP fields around it (RFC 9110 §5.6.3).
  func trimmingSpace() -> UnsafeRawBufferPointer {
    var start = startIndex
    var end = endIndex
    while start < end, base[start] == 0x20 || base[start] == 0x09 { start += 1 }
    while end > start, base[end - 1] == 0x20 || base[end - 1] == 0x09 { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: base[start..<end])
  }
}

extension StaticString {
  /// - Parameter text: ends with a zero, as a static string of ASCII does.
  func equals(_ text: UnsafePointer<CChar>) -> Bool {
    strcmp(text, UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)) == 0
  }
}
