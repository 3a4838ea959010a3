import MicroHTTP
import PINEntry
import SessionStore
import WipingBuffer

/// One session's events for one reader, as server-sent events.
final class SessionStream: WatchingSource {
  private let session: SessionHandle
  private let showsText: Bool
  private let service: PINService
  // `next` is called by one thread at a time, and nothing else touches these.
  private nonisolated(unsafe) var cursor: Cursor
  private nonisolated(unsafe) var history: UInt16?
  private nonisolated(unsafe) var greeted = false
  /// When to show that the stream lives, in ms of the clock that `next` is given.
  private nonisolated(unsafe) var pingAt: Int64 = 0
  nonisolated(unsafe) unowned var stream: OpenStream?
  nonisolated(unsafe) var watcher: (any SessionWatcher)?

  var sessions: [SessionHandle] { [session] }

  init(_ session: SessionHandle, from cursor: Cursor, showsText: Bool, service: PINService) {
    self.session = session
    self.cursor = cursor
    self.showsText = showsText
    self.service = service
  }

  func next(into out: inout Bytes, at now: Int64) -> StreamStep {
    if !greeted { StreamText.appendRetry(to: &out) }
    let empty = out.count
    let step = session.read { access in advance(access, into: &out, at: now) }
    if !greeted, out.count == empty {
      // A reader that resumes at the newest event gets a comment, so that it sees that the stream is there.
      out.append(":\n\n")
    }
    greeted = true
    switch step {
    case .told: return .more
    case .waiting:
      guard service.endsStreams else { return .idle(until: pingAt) }
      StreamText.appendComeBack(within: service.rules.comeBackSeconds, to: &out)
      return .end
    case .over, nil: return .end
    case .lost: return .cut
    }
  }

  func hasFallenBehind() -> Bool {
    guard case .after(let id) = cursor else { return false }
    return session.read { access in !service.sight(access).hasEvents(after: id, access) } ?? false
  }

  private enum Step {
    case told, waiting, over, lost
  }

  private func advance(_ access: SessionAccess, into out: inout Bytes, at now: Int64) -> Step {
    // Of what the reader got something is lost: it comes back, and is told of a gap.
    if let history, history != access.history { return .lost }
    history = access.history
    let sight = service.sight(access)
    switch cursor {
    case .state(let reason):
      StreamText.appendID(sight.newest, to: &out)
      out.append("event: state\ndata: ")
      EventText.appendState(reason: reason, of: access, sight, showsText: showsText, to: &out)
      cursor = .after(sight.newest)
    case .after(let id) where id < sight.newest:
      guard let record = sight.event(id + 1, access) else { return .lost }
      StreamText.appendID(id + 1, to: &out)
      StreamText.appendName(record.kind, to: &out)
      EventText.appendData(record, id: id + 1, of: access, showsText: showsText, to: &out)
      cursor = .after(id + 1)
    case .after(let id):
      if sight.isClosed(access) { return .over }
      guard now >= pingAt else { return .waiting }
      let isFirst = pingAt == 0
      pingAt = now + StreamText.heartbeat
      guard !isFirst else { return .waiting }
      StreamText.appendPing(eventID: id, to: &out)
      return .told
    }
    out.append("\n\n")
    service.metrics.countEvent()
    pingAt = now + StreamText.heartbeat
    return .told
  }
}
