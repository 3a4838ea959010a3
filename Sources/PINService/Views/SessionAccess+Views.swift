import PINEntry
import SessionStore
import WipingBuffer

extension SessionAccess {
  /// The session as it is now.
  var snapshot: Snapshot { snapshot(of: session.state, eventID: session.eventID) }

  /// The session as it was in `state`.
  func snapshot(of state: SessionState, eventID: UInt64) -> Snapshot {
    Snapshot(
      id: session.id, state: state, eventID: eventID, message: state.rejected ? message(at: state.revision) : nil)
  }

  /// Writes the `text` member, if the session shows its characters and has not closed.
  func appendText(to out: inout Bytes) {
    guard session.options.reveal, session.status == .open else { return }
    out.append(",\"text\":\"")
    session.forEachCharacter { out.append(byte: $0) }
    out.append("\"")
  }
}
