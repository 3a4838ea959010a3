import PINEntry
import SessionStore
import WipingBuffer

/// The documents that events carry.
enum EventText {
  /// Writes the data document of a stored event: the state after the whole edit, with what belongs to its kind.
  ///
  /// - Parameter showsText: whether the reader may see the characters of a session with `reveal`.
  static func appendData(
    _ record: EventRecord, id: UInt64, of access: SessionAccess, showsText: Bool, to out: inout Bytes
  ) {
    out.appendOpenState(access.snapshot(of: record.state, eventID: id))
    switch record.kind {
    case .end:
      out.append(",\"reason\":\"")
      out.append(record.reason.name)
      out.append("\"")
    case .configure:
      let (options, presentation) =
        access.configuration(at: record.state.revision) ?? (access.session.options, access.presentation)
      out.append(",\"config\":")
      out.appendConfig(options, presentation)
    case .begin, .change, .delete, .complete, .hold, .reject, .close: break
    }
    // Only while no later change has been made is the text of now the text of then.
    if showsText && record.state.revision >= access.session.changedAt { access.appendText(to: &out) }
    out.append("}")
  }

  /// Writes the data document of a `state` event, which is not stored: the state as it is seen now.
  static func appendState(
    reason: StateReason, of access: SessionAccess, _ sight: Sight, showsText: Bool, to out: inout Bytes
  ) {
    out.appendOpenState(sight.snapshot(access))
    out.append(",\"reason\":\"")
    out.append(reason.name)
    out.append("\",\"config\":")
    out.appendConfig(sight.options(access), sight.presentation(access))
    if showsText && sight.isAll { access.appendText(to: &out) }
    out.append("}")
  }
}

/// Why a reader gets the state instead of the events after a resume point.
enum StateReason {
  /// It gave no resume point.
  case start
  /// It gave one that can't be honoured.
  case gap

  var name: StaticString {
    switch self {
    case .start: "start"
    case .gap: "gap"
    }
  }
}

extension EventKind {
  /// As the contract spells it.
  var name: StaticString {
    switch self {
    case .configure: "configure"
    case .begin: "begin"
    case .change: "change"
    case .delete: "delete"
    case .complete: "complete"
    case .end: "end"
    case .hold: "hold"
    case .reject: "reject"
    case .close: "close"
    }
  }
}

extension EndReason {
  /// As the contract spells it.
  var name: StaticString {
    switch self {
    case .none: ""
    case .ended: "ended"
    case .complete: "complete"
    case .timeout: "timeout"
    case .closed: "closed"
    }
  }
}
