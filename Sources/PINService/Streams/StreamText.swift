import PINEntry
import WipingBuffer

/// The text of server-sent events (WHATWG HTML, "Server-sent events").
enum StreamText {
  /// How long a stream may be silent, in ms.
  static let heartbeat: Int64 = 15_000

  /// When the reader is to come back, chosen per stream so that not all come back at once.
  static func appendRetry(to out: inout Bytes) {
    out.append("retry: ")
    out.append(decimal: Int.random(in: 1000...3000))
    out.append("\n\n")
  }

  /// The last line before the service stops: when the reader is to come back, so that not all do at once.
  static func appendComeBack(within seconds: Int, to out: inout Bytes) {
    out.append("retry: ")
    out.append(decimal: Int.random(in: 1000...max(1000, seconds * 1000)))
    out.append("\n\n")
  }

  static func appendID(_ id: UInt64, to out: inout Bytes) {
    out.append("id: ")
    out.append(decimal: id)
    out.append("\n")
  }

  /// The event's name, and how its data begins.
  static func appendName(_ kind: EventKind, to out: inout Bytes) {
    out.append("event: ")
    out.append(kind.name)
    out.append("\ndata: ")
  }

  /// Shows that the stream lives; without an id, so that it is no resume point.
  static func appendPing(eventID: UInt64, to out: inout Bytes) {
    out.append("event: ping\ndata: {\"eventId\":")
    out.append(decimal: eventID)
    out.append("}\n\n")
  }
}
