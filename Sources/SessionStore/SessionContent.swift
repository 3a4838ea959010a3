internal import PINEntry

/// All that is kept of one session, whatever keeps it.
struct SessionContent: ~Copyable {
  /// In the arena; nil once the session is gone.
  var record: UnsafeMutablePointer<Session>?
  private(set) var presentation: Presentation
  private(set) var log = EventLog()
  private(set) var notes: Notes?
  /// Grows when events that were told are lost, so that those who go on from them notice.
  private(set) var history: UInt16 = 0

  init(_ record: UnsafeMutablePointer<Session>, _ presentation: Presentation) {
    self.record = record
    self.presentation = presentation
  }

  /// With a past that comes from elsewhere.
  init(
    _ record: UnsafeMutablePointer<Session>, _ presentation: Presentation, log: consuming EventLog, notes: Notes?,
    history: UInt16
  ) {
    self.record = record
    self.presentation = presentation
    self.log = log
    self.notes = notes
    self.history = history
  }

  /// The same with `record` for its own, to be changed apart; nil if the session is gone.
  func copy(with record: UnsafeMutablePointer<Session>) -> SessionContent? {
    guard let own = self.record else { return nil }
    // The record is made of trivial parts, and copied from one locked place to another.
    UnsafeMutableRawPointer(record).copyMemory(from: own, byteCount: MemoryLayout<Session>.size)
    return SessionContent(record, presentation, log: log.copy(), notes: notes?.copy(), history: history)
  }

  /// Puts the events of the edit just made into the log.
  ///
  /// - Parameters:
  ///   - window: the window of the grid in which it was made; nil without a grid.
  ///   - message: of a rejection.
  ///   - presentation: what the session shows from then on; nil: no other than before.
  ///   - options: what they were before, if the edit may have changed them.
  mutating func takeEvents(
    _ record: UnsafeMutablePointer<Session>, in window: GridWindow?, message: String? = nil,
    presentation: Presentation? = nil, before options: EntryOptions? = nil
  ) {
    let events = record.pointee.takeEvents()
    if let window, !events.isEmpty {
      keepPast(record, events, window, options ?? record.pointee.options)
      // When a closed session goes is to tell no more than when it was seen to close.
      if events.contains(.close) {
        record.pointee.delayEnd(to: window.point(from: window.end.adding(seconds: Session.retention)))
      }
    }
    if let presentation { self.presentation = presentation }
    guard !events.isEmpty else { return }
    let state = record.pointee.state
    events.forEachKind { kind in
      log.append(EventRecord(state: state, kind: kind, reason: kind == .end ? events.endReason : .none))
    }
    let oldest = min(log.oldest?.state.revision ?? state.revision, notes?.past?.oldestRevision ?? .max)
    if let message { makeNotes().add(message, at: state.revision, oldest: oldest) }
    if events.contains(.configure) {
      let configuration = SessionConfiguration(options: record.pointee.options, presentation: self.presentation)
      makeNotes().add(configuration, at: state.revision, oldest: oldest)
    }
    if events.contains(.close) { notes?.forgetRemembered() }
    if record.pointee.options.seals { seal(record, events) }
  }

  /// Keeps what the session was at the window's beginning, if this edit is the first since then.
  private mutating func keepPast(
    _ record: UnsafeMutablePointer<Session>, _ events: EventSet, _ window: GridWindow, _ options: EntryOptions
  ) {
    let newest = record.pointee.eventID - UInt64(events.count)
    let notes = makeNotes()
    let past: Past
    if let kept = notes.past, kept.point >= window.start {
      past = kept
    } else {
      let fresh = Session(
        id: record.pointee.id, nonce: record.pointee.nonce, options: options, at: record.pointee.createdAt,
        on: record.pointee.createdOn)
      let state = log.record(age: 0)?.state ?? fresh.state
      past = Past(
        point: window.start, state: state, eventID: newest,
        message: state.rejected ? notes.message(at: state.revision) : nil, options: options, presentation: presentation)
    }
    let isOverfull = log.count + UInt16(events.count) > EventLog.maximum
    notes.past = isOverfull ? past.keeping(log, newest: newest) : past
  }

  /// Seals a text that has become complete, before anybody else gets to see the session, and forgets what was sealed of
  /// one that is gone.
  private mutating func seal(_ record: UnsafeMutablePointer<Session>, _ events: EventSet) {
    if events.contains(.change) || events.contains(.close) { notes?.sealed = nil }
    guard events.contains(.complete), record.pointee.status == .open, let key = presentation.sealTo else { return }
    makeNotes().sealed = SealedBox.seal(record.pointee, to: key)
    record.pointee.wipeText()
  }

  /// Fires the timers that are due.
  ///
  /// - Parameter step: of the grid, in ms; 0 without one.
  mutating func fireTimers(_ record: UnsafeMutablePointer<Session>, at now: Instant, step: Int64) {
    while record.pointee.fireTimer(at: now) { takeEvents(record, in: GridWindow(at: now, step: step)) }
  }

  /// Remembers a change for retries, and forgets the oldest if there are too many.
  mutating func remember(_ change: Recalled) {
    makeNotes().remember(change)
  }

  /// Lets go of what few sessions have.
  mutating func forgetNotes() { notes = nil }

  private mutating func makeNotes() -> Notes {
    if let notes { return notes }
    let made = Notes()
    notes = made
    return made
  }
}
