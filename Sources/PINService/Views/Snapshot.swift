package import PINEntry
import WipingBuffer

/// A session at one revision, as everybody may see it: what the state document is written from.
package struct Snapshot: Equatable, Sendable {
  package let id: SessionID
  package let state: SessionState
  /// The id of the newest event, or of the event that carries this state.
  package let eventID: UInt64
  /// The message of the rejection that `state.rejected` tells of; nil without one.
  package let message: String?

  package init(id: SessionID, state: SessionState, eventID: UInt64, message: String?) {
    self.id = id
    self.state = state
    self.eventID = eventID
    self.message = message
  }
}

extension Bytes {
  /// Writes the members of the state document, in their fixed order and without the closing brace, so that an answer
  /// can add its own.
  mutating func appendOpenState(_ snapshot: Snapshot) {
    let state = snapshot.state
    append("{\"id\":\"")
    append(snapshot.id)
    append("\",\"length\":")
    append(decimal: state.length)
    append(",\"count\":")
    append(decimal: state.count)
    append(",\"hasText\":")
    append(state.hasText)
    append(",\"active\":")
    append(state.active)
    append(",\"complete\":")
    append(state.complete)
    append(",\"held\":")
    append(state.held)
    append(",\"completion\":")
    append(decimal: state.completion)
    append(",\"attempts\":")
    append(decimal: state.attempts)
    append(",\"error\":")
    if state.rejected {
      appendJSON(snapshot.message ?? "")
    } else {
      append("null")
    }
    append(",\"status\":\"")
    append(state.status.name)
    append("\",\"revision\":")
    append(decimal: state.revision)
    append(",\"eventId\":")
    append(decimal: snapshot.eventID)
    append(",\"expiresAt\":\"")
    appendTimestamp(state.expiresAt)
    append("\"")
  }

  mutating func append(_ id: SessionID) { id.characters.withBytes { append($0) } }

  mutating func append(_ flag: Bool) { flag ? append("true") : append("false") }
}

extension Status {
  /// As the contract spells it.
  var name: StaticString {
    switch self {
    case .open: "open"
    case .redeemed: "redeemed"
    case .accepted: "accepted"
    case .locked: "locked"
    case .cancelled: "cancelled"
    case .expired: "expired"
    }
  }
}
