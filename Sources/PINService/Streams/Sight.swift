import PINEntry
import SessionStore

/// As much of a session as somebody may see: all of it, or what it was at the last point of the grid. Whatever is made of
/// that for those who watch is then the same until the next point.
struct Sight {
  private let past: Past?
  /// The newest event that may be seen; 0 before the first.
  let newest: UInt64

  /// - Parameter past: what may be seen; nil: all.
  init(_ access: borrowing SessionAccess, past: Past? = nil) {
    self.past = past
    newest = if let past { past.eventID } else { access.session.eventID }
  }

  /// Whether that is all there is.
  var isAll: Bool { past == nil }

  /// Whether the session is seen to be closed.
  func isClosed(_ access: borrowing SessionAccess) -> Bool {
    let status = if let past { past.state.status } else { access.session.status }
    return status != .open
  }

  /// The session as it is seen.
  func snapshot(_ access: borrowing SessionAccess) -> Snapshot {
    guard let past else { return access.snapshot }
    return Snapshot(id: access.session.id, state: past.state, eventID: past.eventID, message: past.message)
  }

  /// The options as they are seen.
  func options(_ access: borrowing SessionAccess) -> EntryOptions {
    if let past { past.options } else { access.session.options }
  }

  /// What the session is seen to show.
  func presentation(_ access: borrowing SessionAccess) -> Presentation {
    if let past { past.presentation } else { access.presentation }
  }

  /// A stored event; nil if it is not seen yet, or not kept any more.
  func event(_ id: UInt64, _ access: borrowing SessionAccess) -> EventRecord? {
    guard let past else { return access.event(id) }
    return access.event(id, of: past)
  }

  /// Whether every event after `id` that is seen is still there; the newest id is one that nothing comes after.
  func hasEvents(after id: UInt64, _ access: borrowing SessionAccess) -> Bool {
    let first = if let past { access.firstEventID(of: past) } else { access.firstEventID }
    return id &+ 1 >= first
  }
}
