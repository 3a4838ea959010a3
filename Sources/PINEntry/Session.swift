/// One entry of one PIN or code: the text and everything that decides what an edit does to it.
///
/// A value of trivial parts that is edited where it lies, so that the text is never copied: no function here takes a
/// session by value or gives its text away but `forEachCharacter`. Each edit first sees whether it is possible and
/// only then changes anything; it ends with `seal`, which counts the revision and the events.
package struct Session: Sendable {
  package let id: SessionID
  /// Random bits that its tokens are derived with.
  package let nonce: SessionID
  package let createdAt: Instant
  /// When it was created, in seconds since 1970.
  package let createdOn: UInt32

  /// The characters, in ASCII; everything from `count` on is zero.
  var text: InlineArray<32, UInt8> = .init(repeating: 0)
  var textCount: UInt8 = 0
  package internal(set) var options: EntryOptions
  package internal(set) var status: Status = .open
  package internal(set) var active = false
  package internal(set) var held = false
  package internal(set) var rejected = false
  package internal(set) var attempts: UInt32 = 0
  package internal(set) var completion: UInt32 = 0
  package internal(set) var revision: UInt32 = 0
  /// The revision of the newest change of the text, 0 before the first.
  package internal(set) var changedAt: UInt32 = 0
  /// The id of the newest event, 0 before the first.
  package internal(set) var eventID: UInt64 = 0

  var pause: Pause = .none
  /// When the pause began, or when the session closed.
  var since: Instant

  /// The events of the edit under way, then of the one that `takeEvents` has not taken yet.
  var fired = EventSet()

  package init(id: SessionID, nonce: SessionID, options: EntryOptions, at now: Instant, on seconds: UInt32) {
    self.id = id
    self.nonce = nonce
    self.options = options
    createdAt = now
    createdOn = seconds
    since = now
  }

  package var length: Int { Int(options.length) }
  package var count: Int { Int(textCount) }
  package var hasText: Bool { textCount > 0 }
  package var complete: Bool { textCount == options.length }

  /// Whether the text of an open session has been sealed between two edits, and is not here any more.
  package var isSealed: Bool { options.seals && complete }

  package var state: SessionState {
    SessionState(
      length: options.length, count: textCount, status: status, active: active, held: held, rejected: rejected,
      attempts: attempts, completion: completion, revision: revision,
      expiresAt: createdOn &+ options.timeouts.total)
  }

  /// Calls `body` with each character, in ASCII; nothing once the session has closed or the text was sealed.
  package func forEachCharacter(_ body: (UInt8) -> Void) {
    guard status == .open, text[0] != 0 else { return }
    for index in 0..<count { body(text[index]) }
  }

  /// The events of the edit just made; each edit's are to be taken before the next.
  package mutating func takeEvents() -> EventSet {
    let events = fired
    fired = EventSet()
    return events
  }
}
