import PINEntry
import SessionStore

/// Where a reader of a session's events is.
enum Cursor: Equatable, Sendable {
  /// The reader is to get the state first.
  case state(StateReason)
  /// The reader has got everything up to this event; 0 is the point before the first.
  case after(UInt64)

  /// Reads a resume point; one that is not a number, or that the session is not seen to have, is a gap.
  ///
  /// - Parameter isTrusted: by the holder of a token, who may know of events that are not seen yet: they are in the answers
  ///   to edits.
  static func resuming(
    _ text: UnsafeRawBufferPointer?, in access: borrowing SessionAccess, _ sight: Sight, isTrusted: Bool
  ) -> Cursor {
    guard let text else { return .state(.start) }
    let newest = isTrusted ? access.session.eventID : sight.newest
    guard let id = text.decimal, id <= newest, sight.hasEvents(after: id, access), !access.takeLoss(after: id) else {
      return .state(.gap)
    }
    return .after(id)
  }
}
