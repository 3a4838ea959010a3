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
  ///   - message: of a rejection.
  ///   - presentation: what the session shows from then on; nil: no other than before.
  mutating func takeEvents(
    _ record: UnsafeMutablePointer<Session>, message: String? = nil, presentation: Presentation? = nil
  ) {
    if let presentation { self.presentation = presentation }
    let events = record.pointee.takeEvents()
    guard !events.isEmpty else { return }
    let state = record.pointee.state
    events.forEachKind { kind in
      log.append(EventRecord(state: state, kind: kind, reason: kind == .end ? events.endReason : .none))
    }
    let oldest = log.oldest?.state.revision ?? state.revision
    if let message { makeNotes().add(message, at: state.revision, oldest: oldest) }
    if events.contains(.configure) {
      let configuration = SessionConfiguration(options: record.pointee.options, presentation: self.presentation)
      makeNotes().add(configuration, at: state.revision, oldest: oldest)
    }
    if events.contains(.close) { notes?.forgetRemembered() }
    if record.pointee.options.seals { seal(record, events) }
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
  mutating func fireTimers(_ record: UnsafeMutablePointer<Session>, at now: Instant) {
    while record.pointee.fireTimer(at: now) { takeEvents(record) }
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
