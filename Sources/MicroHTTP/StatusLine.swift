import Glibc
import MicroHTTPShim
import WipingBuffer

/// The first lines of an answer that is written by hand.
enum StatusLine {
  /// Writes the status line (RFC 9112 §4) and Date (RFC 9110 §6.6.1).
  static func write(_ status: Int, to out: inout Bytes) {
    out.append("HTTP/1.1 ")
    out.append(decimal: status)
    out.append(" ")
    let reason = mhs_reason(UInt32(status))
    out.append(UnsafeRawBufferPointer(start: reason, count: reason.map { strlen($0) } ?? 0))
    out.append("\r\n")
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { buffer in
      let date = mhs_date(buffer.baseAddress)
      out.append(UnsafeRawBufferPointer(start: date.bytes, count: date.count))
    }
  }
}
