import MicroHTTP
import PINEntry
import SessionStore
import WipingBuffer

/// The answer to a change of a session.
struct EditAnswer: ~Copyable {
  var body: Bytes
  /// Whether it was given before, to the same request with the same key.
  let isReplay: Bool

  consuming func reply() -> Reply {
    let isReplay = isReplay
    var response = Response(status: 200, contentType: "application/json", body: body)
    if isReplay { response.setHeader("Idempotency-Replayed", "true") }
    return .response(response)
  }
}

/// What the answer to a change shows besides the state.
enum EditView {
  /// Nothing.
  case state
  /// The options and metadata too.
  case owner
}

extension SessionHandle {
  /// Makes a change at most once for a key, and writes its answer. All of it happens with the session to itself,
  /// so that of two equal requests at once one makes the change and the other gets the first one's answer.
  ///
  /// - Parameter edit: checks what remains to be checked and makes the change, and nothing else, as it may be run again;
  ///   a replay comes before these checks.
  func editOnce(
    _ key: IdempotencyKey?, showing view: EditView = .state,
    _ edit: (inout SessionAccess) throws(Problem) -> Insertion?
  ) throws(Problem) -> EditAnswer {
    try access { (access: inout SessionAccess) throws(Problem) -> EditAnswer in
      if let key, let (recalled, request) = access.recall(key) {
        guard recalled.request == request else {
          throw .reusedKey
        }
        return EditAnswer(body: access.body(recalled.outcome), isReplay: true)
      }
      let insertion = try edit(&access)
      let outcome = access.outcome(insertion, view)
      if let key { access.remember(key.key, request: key.request, outcome) }
      return EditAnswer(body: access.body(outcome, showsText: true), isReplay: false)
    }.get()
  }
}

extension SessionAccess {
  /// The change that was made with this key, and what this request would be remembered by beside it.
  fileprivate func recall(_ key: IdempotencyKey) -> (Recalled, request: Hash128)? {
    if let recalled = recall(key.key) { return (recalled, key.request) }
    for older in key.older {
      if let recalled = recall(older.key) { return (recalled, older.request) }
    }
    return nil
  }

  /// What a change led to, in the form in which it can be remembered: counts, never characters.
  fileprivate func outcome(_ insertion: Insertion?, _ view: EditView) -> Outcome {
    let state = session.state
    let details: Outcome.Details? =
      switch view {
      case .state:
        state.rejected ? Outcome.Details(message: message(at: state.revision), configuration: nil) : nil
      case .owner:
        Outcome.Details(
          message: state.rejected ? message(at: state.revision) : nil,
          configuration: SessionConfiguration(options: session.options, presentation: presentation))
      }
    return Outcome(state: state, eventID: session.eventID, insertion: insertion, details: details)
  }

  /// Writes the answer from its outcome. The characters are not in it: they are shown only right after the change.
  fileprivate func body(_ outcome: Outcome, showsText: Bool = false) -> Bytes {
    var out = Bytes(capacity: 384)
    out.appendOpenState(
      Snapshot(id: session.id, state: outcome.state, eventID: outcome.eventID, message: outcome.details?.message))
    if let insertion = outcome.insertion {
      out.append(",\"accepted\":")
      out.append(decimal: insertion.accepted)
      out.append(",\"truncated\":")
      out.append(decimal: insertion.truncated)
    }
    if let configuration = outcome.details?.configuration {
      out.append(",\"config\":")
      out.appendConfig(configuration.options, configuration.presentation)
      out.append(",\"metadata\":")
      out.appendMetadata(configuration.presentation.metadata)
    }
    if showsText { appendText(to: &out) }
    out.append("}")
    return out
  }
}
