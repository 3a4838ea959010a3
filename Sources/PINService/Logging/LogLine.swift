import WipingBuffer

/// How much a line of the log matters.
package enum LogLevel: String, CaseIterable, Sendable {
  /// The program can't do what it is for.
  case error
  /// It can, but somebody should look.
  case warning
  /// What an operator may want to know.
  case info
  /// What must be known for ever: who got digits, and when. Always logged.
  case audit

  fileprivate var name: StaticString {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .info: "info"
    case .audit: "audit"
    }
  }
}

/// A line of the log under construction: a JSON object, of which the writer adds the end.
struct LogLine: ~Copyable {
  private var out = Bytes(capacity: 256)

  /// - Parameter seconds: since 1970; the log tells no finer time, as that of a digit would tell something of it.
  init(_ level: LogLevel, at seconds: UInt32) {
    out.append("{\"time\":\"")
    out.appendTimestamp(seconds)
    out.append("\",\"level\":\"")
    out.append(level.name)
    out.append("\"")
  }

  mutating func add(_ name: StaticString, _ value: StaticString) {
    addName(name)
    out.append("\"")
    out.append(value)
    out.append("\"")
  }

  mutating func add(_ name: StaticString, number: some FixedWidthInteger) {
    addName(name)
    out.append(decimal: number)
  }

  mutating func add(_ name: StaticString, flag: Bool) {
    addName(name)
    out.append(flag)
  }

  /// Adds what may hold anything: all but visible ASCII is escaped (RFC 8259 §7), so that no terminal is told anything.
  mutating func add(_ name: StaticString, text: String) {
    addName(name)
    out.append("\"")
    for unit in text.utf16 {
      switch unit {
      case 0x22, 0x5C:
        out.append("\\")
        out.append(byte: UInt8(unit))
      case 0x20...0x7E: out.append(byte: UInt8(unit))
      default:
        out.append("\\u")
        out.append(hexadecimal: unit)
      }
    }
    out.append("\"")
  }

  /// Adds the request that the line is about, if it has an id.
  mutating func add(_ request: TraceID?) {
    guard let request else { return }
    addName("request")
    out.append("\"")
    request.write(to: &out)
    out.append("\"")
  }

  /// Adds something that stands for a secret.
  mutating func add(_ name: StaticString, high: UInt64, low: UInt64) {
    addName(name)
    out.append("\"")
    out.append(hexadecimal: high)
    out.append(hexadecimal: low)
    out.append("\"")
  }

  private mutating func addName(_ name: StaticString) {
    out.append(",\"")
    out.append(name)
    out.append("\":")
  }

  borrowing func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { out.withBytes(body) }
}

extension Bytes {
  /// All digits of a number, in lower case.
  mutating func append(hexadecimal number: some FixedWidthInteger & UnsignedInteger) {
    for shift in stride(from: type(of: number).bitWidth - 4, through: 0, by: -4) {
      let four = UInt8(truncatingIfNeeded: number >> shift) & 15
      append(byte: four < 10 ? 0x30 &+ four : 0x57 &+ four)
    }
  }
}
