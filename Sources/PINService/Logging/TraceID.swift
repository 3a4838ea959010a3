import MicroHTTP
import WipingBuffer

/// The id that a request has in all systems that it passes: the trace-id of its `traceparent` (W3C Trace Context §3.2).
struct TraceID: Equatable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// Nil without a valid `traceparent`.
  init?(_ request: borrowing Request) {
    guard let field = request.header("traceparent") else { return nil }
    self.init(traceparent: field)
  }

  /// Reads `version-trace-parent-flags`; a version that is not known yet may have more after them.
  init?(traceparent field: UnsafeRawBufferPointer) {
    guard field.count == 55 || field.count > 55 && field[55] == UInt8(ascii: "-") else { return nil }
    guard field[2] == UInt8(ascii: "-"), field[35] == UInt8(ascii: "-"), field[52] == UInt8(ascii: "-") else {
      return nil
    }
    guard let version = Self.number(field[0..<2]), version != 0xff, version != 0 || field.count == 55,
      let high = Self.number(field[3..<19]), let low = Self.number(field[19..<35]), high | low != 0,
      let parent = Self.number(field[36..<52]), parent != 0, Self.number(field[53..<55]) != nil
    else { return nil }
    self.high = high
    self.low = low
  }

  /// Hexadecimal digits in lower case only, 16 at most.
  private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return number
  }

  func write(to out: inout Bytes) {
    out.append(hexadecimal: high)
    out.append(hexadecimal: low)
  }
}
