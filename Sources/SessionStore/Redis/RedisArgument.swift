internal import WipingBuffer

/// One part of a command: its name, a key, a value. Any bytes may be in it.
package enum RedisArgument: ExpressibleByStringLiteral {
  case literal(StaticString)
  case text(String)
  /// A number in decimal.
  case number(Int64)
  /// Bytes that have to stay where they are until the call is over, and are not kept after it.
  case bytes(UnsafeRawBufferPointer)

  package init(stringLiteral value: StaticString) { self = .literal(value) }

  /// Calls `body` with its bytes as they are sent.
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    switch self {
    case .literal(let text):
      return body(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    case .text(var text): return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    case .number(let number):
      var text = String(number)
      return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    case .bytes(let bytes): return body(bytes)
    }
  }
}

extension Bytes {
  /// Writes a command as Redis reads it: an array of strings with their lengths in front (RESP, "Sending commands").
  mutating func append(redis command: [RedisArgument]) {
    append(byte: UInt8(ascii: "*"))
    append(decimal: UInt64(command.count))
    append("\r\n")
    for argument in command {
      argument.withBytes { bytes in
        append(byte: UInt8(ascii: "$"))
        append(decimal: UInt64(bytes.count))
        append("\r\n")
        append(bytes)
        append("\r\n")
      }
    }
  }
}
