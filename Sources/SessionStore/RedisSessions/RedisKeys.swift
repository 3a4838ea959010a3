internal import PINEntry

/// The names of one session's keys. The id in braces puts them all into one slot of a cluster.
struct RedisKeys: Sendable {
  private let base: String
  let slot: RedisSlot

  init(_ id: SessionID) {
    base = "pinpad:{\(id.text)}:"
    slot = RedisSlot(key: base)
  }

  /// All but the text and what hangs on time.
  private var record: String { base + "record" }
  /// The sealed text, while there is one.
  private var text: String { base + "text" }
  /// A stream of the newest events, each with its own id.
  private var events: String { base + "events" }
  /// A list of the newest changes that were made with an `Idempotency-Key`.
  private var remembered: String { base + "keys" }

  /// In the order in which the scripts take them.
  var all: [RedisArgument] { [.text(record), .text(text), .text(events), .text(remembered)] }

  /// Where those who watch are woken.
  var channel: String { base + "wake" }

  /// Whose channel it is; nil if it's none of these.
  static func session(ofChannel name: UnsafeRawBufferPointer) -> SessionID? {
    let start = Array("pinpad:{".utf8)
    guard name.count == start.count + SessionID.textCount + 6, name.starts(with: start) else { return nil }
    return SessionID(UnsafeRawBufferPointer(rebasing: name[start.count..<(start.count + SessionID.textCount)]))
  }
}
