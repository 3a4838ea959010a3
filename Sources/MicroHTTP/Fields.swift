import WipingBuffer

/// The header fields of an answer, in order: name NUL value NUL …, as the shim takes them.
struct Fields: ~Copyable {
  private var block = Bytes(capacity: 384)
  /// One of them is Cache-Control.
  private(set) var hasCacheControl = false

  mutating func add(_ name: StaticString, _ value: StaticString) { add(name) { $0.append(value) } }

  @inline(__always)
  mutating func add(_ name: StaticString, _ value: (inout Bytes) -> Void) {
    if name.utf8CodeUnitCount == 13 { hasCacheControl = hasCacheControl || Self.isCacheControl(name) }
    block.append(name)
    block.append(byte: 0 as UInt8)
    value(&block)
    block.append(byte: 0 as UInt8)
  }

  /// Adds a value that may hold anything: bytes that would end the field are left out.
  mutating func add(_ name: StaticString, bytes: UnsafeRawBufferPointer) {
    add(name) { block in
      if bytes.allSatisfy({ $0 != 0 && $0 != 0x0a && $0 != 0x0d }) { return block.append(bytes) }
      for byte in bytes where byte != 0 && byte != 0x0a && byte != 0x0d { block.append(byte: byte) }
    }
  }

  borrowing func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { block.withBytes(body) }

  /// Writes the fields as lines (RFC 9112 §5).
  borrowing func write(to out: inout Bytes) {
    block.withBytes { bytes in
      var rest = bytes[...]
      while let nameEnd = rest.firstIndex(of: 0), let valueEnd = rest[(nameEnd + 1)...].firstIndex(of: 0) {
        if valueEnd > nameEnd + 1 {
          out.append(UnsafeRawBufferPointer(rebasing: rest[..<nameEnd]))
          out.append(": ")
          out.append(UnsafeRawBufferPointer(rebasing: rest[(nameEnd + 1)..<valueEnd]))
          out.append("\r\n")
        }
        rest = rest[(valueEnd + 1)...]
      }
    }
  }

  private static func isCacheControl(_ name: StaticString) -> Bool {
    name.withUTF8Buffer { UnsafeRawBufferPointer($0).equals("Cache-Control") }
  }
}
