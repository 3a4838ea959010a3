import MicroHTTP
import PINEntry
import SessionStore
import WipingBuffer

/// Several sessions' events for one reader, on one stream.
///
/// An event's id is the reader's place in each session, in the order of the query: `4.0.17`; a place that the reader
/// does not have yet is left empty, so that it gets that session's state when it resumes there.
final class SessionsStream: WatchingSource {
  let sessions: [SessionHandle]
  private let showsText: [Bool]
  private let service: PINService
  // `next` is called by one thread at a time, and nothing else touches these.
  private nonisolated(unsafe) var cursors: [Cursor]
  private nonisolated(unsafe) var histories: [UInt16?]
  private nonisolated(unsafe) var isOver: [Bool]
  private nonisolated(unsafe) var greeted = false
  private nonisolated(unsafe) var pingAt: Int64 = 0
  nonisolated(unsafe) unowned var stream: OpenStream?
  nonisolated(unsafe) var watcher: (any SessionWatcher)?

  /// - Parameters:
  ///   - cursors: a place for each session.
  ///   - showsText: for each session, whether the reader's token is one of its own.
  init(_ sessions: [SessionHandle], from cursors: [Cursor], showsText: [Bool], service: PINService) {
    self.sessions = sessions
    self.cursors = cursors
    self.showsText = showsText
    self.service = service
    histories = sessions.map { _ in nil }
    isOver = sessions.map { _ in false }
  }

  func next(into out: inout Bytes, at now: Int64) -> StreamStep {
    if !greeted {
      StreamText.appendRetry(to: &out)
      greeted = true
    }
    for index in sessions.indices where !isOver[index] {
      switch sessions[index].read({ access in advance(index, access, into: &out) }) {
      case .told:
        service.metrics.countEvent()
        pingAt = now + StreamText.heartbeat
        return .more
      case .nothing: continue
      case .over, nil: isOver[index] = true
      case .lost: return .cut
      }
    }
    if isOver.allSatisfy({ $0 }) { return .end }
    if service.endsStreams {
      StreamText.appendComeBack(within: service.rules.comeBackSeconds, to: &out)
      return .end
    }
    guard now >= pingAt else { return .idle(until: pingAt) }
    if pingAt > 0 {
      out.append("event: ping\ndata: {\"eventId\":\"")
      appendPlaces(to: &out)
      out.append("\"}\n\n")
    } else {
      out.append(":\n\n")
    }
    pingAt = now + StreamText.heartbeat
    return .more
  }

  func hasFallenBehind() -> Bool {
    zip(sessions, cursors).contains { session, cursor in
      guard case .after(let id) = cursor else { return false }
      return session.read { access in !service.sight(access).hasEvents(after: id, access) } ?? false
    }
  }

  private enum Step {
    case told, nothing, over, lost
  }

  private func advance(_ index: Int, _ access: SessionAccess, into out: inout Bytes) -> Step {
    // Of what the reader got something is lost: it comes back, and is told of a gap.
    if let history = histories[index], history != access.history { return .lost }
    histories[index] = access.history
    let sight = service.sight(access)
    switch cursors[index] {
    case .state(let reason):
      cursors[index] = .after(sight.newest)
      appendPlaceLine(to: &out)
      out.append("event: state\ndata: ")
      EventText.appendState(reason: reason, of: access, sight, showsText: showsText[index], to: &out)
    case .after(let id) where id < sight.newest:
      guard let record = sight.event(id + 1, access) else { return .lost }
      cursors[index] = .after(id + 1)
      appendPlaceLine(to: &out)
      StreamText.appendName(record.kind, to: &out)
      EventText.appendData(record, id: id + 1, of: access, showsText: showsText[index], to: &out)
    case .after: return sight.isClosed(access) ? .over : .nothing
    }
    out.append("\n\n")
    return .told
  }

  private func appendPlaceLine(to out: inout Bytes) {
    out.append("id: ")
    appendPlaces(to: &out)
    out.append("\n")
  }

  private func appendPlaces(to out: inout Bytes) {
    for (index, cursor) in cursors.enumerated() {
      if index > 0 { out.append(".") }
      if case .after(let id) = cursor { out.append(decimal: id) }
    }
  }
}
