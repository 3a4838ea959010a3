import WipingBuffer

/// The head of a stream: status 200, and an end that is the end of the connection (RFC 9112 §6.3). Date and
/// `Connection: close` are added.
package struct StreamHead: ~Copyable, HasFields {
  private var fields = Fields()

  package init() {}

  /// Adds a field.
  package mutating func setHeader(_ name: StaticString, _ value: StaticString) {
    fields.add(name) { $0.append(value) }
  }

  /// Adds a field; CR, LF and NUL in its value are left out.
  package mutating func setHeader(_ name: StaticString, text value: String) {
    var value = value
    value.withUTF8 { fields.add(name, bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Adds a field; CR, LF and NUL in its value are left out.
  package mutating func setHeader(_ name: StaticString, bytes: UnsafeRawBufferPointer) {
    fields.add(name, bytes: bytes)
  }

  package mutating func setHeader(_ name: StaticString, number: some FixedWidthInteger) {
    fields.add(name) { $0.append(decimal: number) }
  }

  consuming func write(to out: inout Bytes) {
    StatusLine.write(200, to: &out)
    fields.write(to: &out)
    out.append("Connection: close\r\n\r\n")
  }
}
