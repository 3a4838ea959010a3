import PINEntry

/// A session with a clock of its own; keeps what each edit told, so that a test reads like a script.
struct Entry {
  private(set) var session: Session
  private(set) var now: Instant
  /// One line per edit that fired: its events in order, as `begin change end:complete`.
  private(set) var told: [String] = []

  init(_ options: EntryOptions = EntryOptions()) {
    now = Instant(milliseconds: 5_000_000)
    session = Session(
      id: SessionID(high: 1, low: 2), nonce: SessionID(high: 3, low: 4), options: options, at: now, on: 1_000_000)
  }

  /// With a text in that was typed at once, and nothing told yet.
  init(_ options: EntryOptions = EntryOptions(), typed text: String) throws(EditError) {
    self.init(options)
    try insert(text)
    forget()
  }

  var text: String { Self.text(of: session) }

  @discardableResult mutating func insert(
    _ text: String, at count: Int? = nil, if revision: RevisionMatch = .any
  ) throws(EditError) -> Insertion {
    try edit { session, now throws(EditError) in
      try session.insert(Array(text.utf8).span, if: Precondition(revision: revision, count: count), at: now)
    }
  }

  @discardableResult mutating func set(
    _ text: String, if revision: RevisionMatch = .any
  ) throws(EditError) -> Insertion {
    try edit { session, now throws(EditError) in
      try session.set(Array(text.utf8).span, if: Precondition(revision: revision), at: now)
    }
  }

  mutating func begin(if revision: RevisionMatch = .any) throws(EditError) {
    try edit { session, now throws(EditError) in try session.begin(if: Precondition(revision: revision), at: now) }
  }

  mutating func deleteBackward(at count: Int? = nil, if revision: RevisionMatch = .any) throws(EditError) {
    try edit { session, now throws(EditError) in
      try session.deleteBackward(if: Precondition(revision: revision, count: count), at: now)
    }
  }

  mutating func clear(if revision: RevisionMatch = .any) throws(EditError) {
    try edit { session, now throws(EditError) in try session.clear(if: Precondition(revision: revision), at: now) }
  }

  mutating func end(if revision: RevisionMatch = .any) throws(EditError) {
    try edit { session, now throws(EditError) in try session.end(if: Precondition(revision: revision), at: now) }
  }

  @discardableResult mutating func redeem(
    hold: Bool = false, if revision: RevisionMatch = .any
  ) throws(EditError) -> String {
    try edit { session, now throws(EditError) in
      try session.redeem(hold: hold, if: Precondition(revision: revision), at: now) { Self.text(of: $0) }
    }
  }

  mutating func accept(if revision: RevisionMatch = .any) throws(EditError) {
    try edit { session, now throws(EditError) in try session.accept(if: Precondition(revision: revision), at: now) }
  }

  mutating func reject(if revision: RevisionMatch = .any) throws(EditError) {
    try edit { session, now throws(EditError) in try session.reject(if: Precondition(revision: revision), at: now) }
  }

  mutating func cancel(if revision: RevisionMatch = .any) throws(EditError) {
    try edit { session, now throws(EditError) in try session.cancel(if: Precondition(revision: revision), at: now) }
  }

  mutating func configure(
    presentationChanged: Bool = false, if revision: RevisionMatch = .any, _ change: (inout EntryOptions) -> Void
  ) throws(EditError) {
    var options = session.options
    change(&options)
    try edit { session, now throws(EditError) in
      try session.configure(
        options, presentationChanged: presentationChanged, if: Precondition(revision: revision), at: now)
    }
  }

  /// Lets time pass, and the timers fire.
  mutating func wait(milliseconds: Int64) {
    now.milliseconds += milliseconds
    while session.fireTimer(at: now) { takeEvents() }
  }

  mutating func wait(seconds: Int64) { wait(milliseconds: seconds * 1000) }

  /// Forgets what has been told.
  mutating func forget() { told = [] }

  private static func text(of session: borrowing Session) -> String {
    var text = ""
    session.forEachCharacter { text.unicodeScalars.append(Unicode.Scalar($0)) }
    return text
  }

  private mutating func edit<R>(
    _ body: (inout Session, Instant) throws(EditError) -> R
  ) throws(EditError) -> R {
    let result = try body(&session, now)
    takeEvents()
    return result
  }

  private mutating func takeEvents() {
    let events = session.takeEvents()
    guard !events.isEmpty else { return }
    var words: [String] = []
    events.forEachKind { words.append($0 == .end ? "end:\(events.endReason)" : "\($0)") }
    told.append(words.joined(separator: " "))
  }
}
