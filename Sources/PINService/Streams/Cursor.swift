import PINEntry
import SessionStore

/// Where a reader of a session's events is.
enum Cursor: Equatable, Sendable {
  /// The reader is to get the state first.
  case state(StateReason)
  /// The reader has got everything up to this event; 0 is the point before the first.
  case after(UInt64)

  /// Reads a resume point; one that is not a number, or that the session is not seen to have, is a gap.
  static func resuming(
    _ text: UnsafeRawBufferPointer?, in access: borrowing SessionAccess, _ sight: Sight
  ) -> Cursor {
    guard let text else { return .state(.start) }
    guard let id = text.decimal, id <= sight.newest, access.hasEvents(after: id), !access.takeLoss(after: id) else {
      return .state(.gap)
    }
    return .after(id)
  }
}

extension SessionAccess {
  /// Whether every event after `id` is still there; the newest id is one that nothing comes after.
  func hasEvents(after id: UInt64) -> Bool { id <= session.eventID && id &+ 1 >= firstEventID }
}
