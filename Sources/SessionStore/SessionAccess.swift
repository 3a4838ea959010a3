package import PINEntry

/// A session to oneself: what may be seen of it and done to it within `SessionHandle.access`.
public struct SessionAccess {
  private let content: UnsafeMutablePointer<SessionContent>
  private let record: UnsafeMutablePointer<Session>
  /// The moment of the access.
  package let now: Instant
  /// ms between two points of the grid; 0 without one.
  private let step: Int64

  init(
    _ content: UnsafeMutablePointer<SessionContent>, _ record: UnsafeMutablePointer<Session>, now: Instant, step: Int64
  ) {
    self.content = content
    self.record = record
    self.now = now
    self.step = step
  }

  /// The session's record, where it lies: no copy of the digits is made.
  package var session: Session {
    unsafeAddress { UnsafePointer(record) }
  }

  package var presentation: Presentation { content.pointee.presentation }

  /// The id of the oldest event that is kept; one more than the newest while there is none.
  package var firstEventID: UInt64 { record.pointee.eventID + 1 - UInt64(content.pointee.log.count) }

  /// A stored event; nil if it is not kept any more, or has not been yet.
  package func event(_ id: UInt64) -> EventRecord? {
    guard id <= record.pointee.eventID else { return nil }
    return content.pointee.log.record(age: record.pointee.eventID - id)
  }

  /// The session as it was at the last point of the grid; nil if that is what it is now.
  package var past: Past? {
    guard let window = GridWindow(at: now, step: step), let past = content.pointee.notes?.past,
      past.point >= window.start
    else { return nil }
    return past
  }

  /// As `firstEventID`, at the time of `past`.
  package func firstEventID(of past: Past) -> UInt64 { past.firstEventID ?? min(firstEventID, past.eventID + 1) }

  /// As `event`, at the time of `past`.
  package func event(_ id: UInt64, of past: Past) -> EventRecord? {
    guard id <= past.eventID else { return nil }
    return past.hasEvents ? past.event(id) : event(id)
  }

  /// Counts the times at which events that had been told were lost, as a fail-over of a store may lose them.
  package var history: UInt16 { content.pointee.history }

  /// Whether a reader that got everything up to `id` got events that are lost. As many are told so as there were.
  package func takeLoss(after id: UInt64) -> Bool { content.pointee.notes?.takeLoss(after: id) ?? false }

  /// Makes one edit where the record lies, and stores its events.
  ///
  /// - Parameters:
  ///   - message: of a rejection.
  ///   - presentation: what the session shows from then on.
  package mutating func apply<R>(
    message: String? = nil, presentation: Presentation? = nil, _ edit: (inout Session) throws(EditError) -> R
  ) throws(EditError) -> R {
    // Options are changed together with what is shown.
    let options = presentation == nil ? nil : record.pointee.options
    let result = try edit(&record.pointee)
    content.pointee.takeEvents(
      record, in: GridWindow(at: now, step: step), message: message, presentation: presentation, before: options)
    return result
  }

  /// The message of the rejection that a state of this revision tells of.
  package func message(at revision: UInt32) -> String? { content.pointee.notes?.message(at: revision) }

  /// The options that a change at this revision led to; nil if no event needs them.
  package func configuration(at revision: UInt32) -> (EntryOptions, Presentation)? {
    content.pointee.notes?.configuration(at: revision).map { ($0.options, $0.presentation) }
  }

  /// The text as it was sealed when it became complete; nil while there is none, and of a session that does not seal.
  package var sealed: [UInt8]? { content.pointee.notes?.sealed }

  /// How many changes are remembered for retries.
  package static let rememberedMaximum = 32

  /// The change that was made with this key.
  package func recall(_ key: Hash128) -> Recalled? { content.pointee.notes?.remembered.first { $0.key == key } }

  /// Remembers a change for retries; not that of a session that has closed with it.
  package mutating func remember(_ key: Hash128, request: Hash128, _ outcome: Outcome) {
    guard record.pointee.status == .open else { return }
    content.pointee.remember(Recalled(key: key, request: request, outcome: outcome))
  }
}
