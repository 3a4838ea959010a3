import PINEntry
import SessionStore

/// As much of a session as somebody may see.
struct Sight {
  /// The newest event that may be seen; 0 before the first.
  let newest: UInt64
  /// Whether that is all there is.
  let isAll: Bool

  /// - Parameter newest: what the grid lets be seen; nil: all.
  init(_ access: borrowing SessionAccess, upTo newest: UInt64? = nil) {
    self.newest = min(newest ?? .max, access.session.eventID)
    isAll = self.newest == access.session.eventID
  }

  /// Whether the session is seen to be closed.
  func isClosed(_ access: borrowing SessionAccess) -> Bool { isAll ? access.session.status != .open : false }

  /// The session as it is seen.
  func snapshot(_ access: borrowing SessionAccess) -> Snapshot {
    if isAll { return access.snapshot }
    if let record = access.event(newest) { return access.snapshot(of: record.state, eventID: newest) }
    // Nobody types 256 events between two points; whoever does gives them away.
    guard newest == 0 else { return access.snapshot }
    let fresh = Session(
      id: access.session.id, nonce: access.session.nonce, options: access.session.options,
      at: Instant(milliseconds: 0), on: access.session.createdOn)
    return access.snapshot(of: fresh.state, eventID: 0)
  }
}
