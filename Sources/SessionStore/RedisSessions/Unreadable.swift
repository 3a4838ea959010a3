/// Why what Redis has of a session can't be used.
enum Unreadable: Error, Hashable {
  /// A record, an event or a reply that this program doesn't understand.
  case record
  /// The text is sealed with a key that is not in the ring.
  case key
  /// The text is not there, or does not belong to this session.
  case text
  /// Events are missing.
  case events

  /// For the log.
  var description: String {
    switch self {
    case .record: "it is damaged, or of a newer program"
    case .key: "redis.keyFile has no key that opens its text"
    case .text: "its text is gone, or of another session"
    case .events: "some of its events are gone"
    }
  }
}
