internal import PINEntry

/// Writes numbers and texts as records have them: little-endian numbers of a fixed size, texts and lists with their
/// count in front.
struct PackedWriter {
  private(set) var bytes: [UInt8]

  init(capacity: Int) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ id: SessionID) {
    append(id.high)
    append(id.low)
  }

  mutating func append(_ hash: Hash128) {
    append(hash.high)
    append(hash.low)
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      append(UInt32(utf8.count))
      bytes.append(contentsOf: utf8)
    }
  }

  /// A list of at most 65,535.
  mutating func append<Element>(_ list: [Element], _ each: (inout PackedWriter, Element) -> Void) {
    append(UInt16(clamping: list.count))
    for element in list.prefix(Int(UInt16.max)) { each(&self, element) }
  }

  /// A part that readers who don't know its tag can skip and keep.
  mutating func appendSection(_ tag: UInt8, _ write: (inout PackedWriter) -> Void) {
    append(tag)
    let start = bytes.count
    append(UInt32(0))
    write(&self)
    let count = UInt32(bytes.count - start - 4)
    for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: count >> (UInt32(index) * 8)) }
  }

  mutating func append(raw: some Collection<UInt8>) { bytes.append(contentsOf: raw) }
}
