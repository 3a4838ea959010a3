/// One of the 16,384 parts that a cluster's keys fall into (Redis cluster specification, "Key distribution model").
/// Keys with the same text between the first `{` and the next `}` are in one slot.
package struct RedisSlot: Hashable, Sendable {
  package static let count = 16_384

  package let number: UInt16

  package init(_ number: UInt16) { self.number = number & 16_383 }

  package init(key: String) {
    var key = key
    self = key.withUTF8 { RedisSlot(key: UnsafeRawBufferPointer($0)) }
  }

  package init(key: UnsafeRawBufferPointer) {
    var hashed = key[...]
    if let open = key.firstIndex(of: UInt8(ascii: "{")) {
      let rest = key[(open + 1)...]
      // An empty tag is none.
      if let close = rest.firstIndex(of: UInt8(ascii: "}")), close > rest.startIndex { hashed = rest[..<close] }
    }
    self.init(Self.checksum(hashed))
  }

  /// CRC-16 as in XMODEM: polynomial 0x1021, starting with 0.
  private static func checksum(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt16 {
    var sum: UInt16 = 0
    for byte in bytes { sum = sum << 8 ^ table[Int(UInt8(truncatingIfNeeded: sum >> 8) ^ byte)] }
    return sum
  }

  private static let table: [UInt16] = (0..<256).map { byte in
    (0..<8).reduce(UInt16(byte) << 8) { sum, _ in sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
  }
}
