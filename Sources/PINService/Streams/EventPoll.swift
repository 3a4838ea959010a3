import MicroHTTP
import PINEntry
import SessionStore
import WipingBuffer

/// What a poll answers with, and when.
struct PollText {
  let after: Cursor
  let showsText: Bool

  /// The document with the events after the cursor; nil if there is none and `waits`.
  func document(_ access: borrowing SessionAccess, _ sight: Sight, waits: Bool) -> Bytes? {
    let closed = sight.isClosed(access)
    let hasLost = if case .after(let id) = after { access.takeLoss(after: id) } else { false }
    if waits, !hasLost, case .after(let id) = after, id >= sight.newest, !closed { return nil }
    var out = Bytes(capacity: 512)
    out.append("{\"events\":[")
    switch after {
    case .state(let reason): appendState(reason, access, sight, to: &out)
    case .after(let id) where sight.hasEvents(after: id, access) && !hasLost:
      appendEvents(after: id, access, sight, to: &out)
    // The log has moved on while the poll waited, or has lost what the reader got.
    case .after: appendState(.gap, access, sight, to: &out)
    }
    out.append("],\"eventId\":")
    out.append(decimal: newestTold(sight))
    out.append(",\"closed\":")
    out.append(closed)
    out.append("}")
    return out
  }

  /// Where the reader is with this answer: what the holder of a token knows already does not come again.
  private func newestTold(_ sight: Sight) -> UInt64 {
    if case .after(let id) = after { return max(id, sight.newest) }
    return sight.newest
  }

  private func appendState(
    _ reason: StateReason, _ access: borrowing SessionAccess, _ sight: Sight, to out: inout Bytes
  ) {
    appendHead(sight.newest, "state", to: &out)
    EventText.appendState(reason: reason, of: access, sight, showsText: showsText, to: &out)
    out.append("}")
  }

  private func appendEvents(
    after: UInt64, _ access: borrowing SessionAccess, _ sight: Sight, to out: inout Bytes
  ) {
    guard after < sight.newest else { return }
    for id in after + 1...sight.newest {
      guard let record = sight.event(id, access) else { continue }
      if id > after + 1 { out.append(",") }
      appendHead(id, record.kind.name, to: &out)
      EventText.appendData(record, id: id, of: access, showsText: showsText, to: &out)
      out.append("}")
    }
  }

  private func appendHead(_ id: UInt64, _ name: StaticString, to out: inout Bytes) {
    out.append("{\"id\":")
    out.append(decimal: id)
    out.append(",\"event\":\"")
    out.append(name)
    out.append("\",\"data\":")
  }
}

/// A poll that waits for an event.
final class EventPoll: WatchingSource {
  private let session: SessionHandle
  private let text: PollText
  private let deadline: Int64
  private let service: PINService
  private let origin: AllowedOrigin
  nonisolated(unsafe) unowned var stream: OpenStream?
  nonisolated(unsafe) var watcher: (any SessionWatcher)?

  var sessions: [SessionHandle] { [session] }

  /// - Parameter deadline: when it answers without an event, in ms of the clock that `next` is given.
  init(_ session: SessionHandle, _ text: PollText, until deadline: Int64, origin: AllowedOrigin, service: PINService) {
    self.session = session
    self.text = text
    self.deadline = deadline
    self.origin = origin
    self.service = service
  }

  func next(into out: inout Bytes, at now: Int64) -> StreamStep {
    let waits = now < deadline && !service.endsStreams
    // A session that is gone can't tell of more: the reader finds out with its next request.
    guard let document = session.read({ access in text.document(access, service.sight(access), waits: waits) }) else {
      return .respond(service.finish(Problem.gone.response(), origin, isRead: true))
    }
    guard let document else { return .idle(until: deadline) }
    return .respond(
      service.finish(Response(status: 200, contentType: "application/json", body: document), origin, isRead: true))
  }

  func hasFallenBehind() -> Bool { false }
}
