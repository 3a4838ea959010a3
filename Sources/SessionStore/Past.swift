package import PINEntry

/// A session as it was at the last point of the grid, kept from its first change after that point on: all that those who
/// watch may know of it until the next one.
package final class Past {
  /// Of the grid.
  package let point: Instant
  package let state: SessionState
  /// The id of the newest event at the point, 0 before the first.
  package let eventID: UInt64
  /// The message of the rejection that the state tells of.
  package let message: String?
  package let options: EntryOptions
  package let presentation: Presentation
  /// The events that were kept, once the session's own log has let go of one of them.
  private let log: EventLog
  /// The id of the newest one in it; nil: they are in the session's log.
  private let newestKept: UInt64?

  init(
    point: Instant, state: SessionState, eventID: UInt64, message: String?, options: EntryOptions,
    presentation: Presentation
  ) {
    self.point = point
    self.state = state
    self.eventID = eventID
    self.message = message
    self.options = options
    self.presentation = presentation
    log = EventLog()
    newestKept = nil
  }

  private init(_ past: Past, _ log: consuming EventLog, newest: UInt64) {
    point = past.point
    state = past.state
    eventID = past.eventID
    message = past.message
    options = past.options
    presentation = past.presentation
    self.log = log
    newestKept = newest
  }

  /// The same with its events, taken from the session's log before that lets go of one of them.
  ///
  /// - Parameter newest: the id of the log's newest event.
  func keeping(_ events: borrowing EventLog, newest: UInt64) -> Past {
    hasEvents ? self : Past(self, events.copy(), newest: newest)
  }

  /// Whether its events are here, and not in the session's log.
  var hasEvents: Bool { newestKept != nil }

  /// The id of the oldest event that is kept here, one more than the newest if there is none; nil if they are in the
  /// session's log.
  var firstEventID: UInt64? { newestKept.map { $0 + 1 - UInt64(log.count) } }

  /// An event that is kept here.
  func event(_ id: UInt64) -> EventRecord? {
    guard let newestKept, id <= newestKept else { return nil }
    return log.record(age: newestKept - id)
  }

  /// The oldest revision that something is to be known of.
  var oldestRevision: UInt32? { firstEventID.flatMap { event($0)?.state.revision } }
}
