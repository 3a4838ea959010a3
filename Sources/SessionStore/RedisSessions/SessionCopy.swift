internal import PINEntry

/// This process's copy of a session in Redis, with its record in locked memory.
struct SessionCopy: ~Copyable {
  /// Its record is nil once the session is gone.
  var content: SessionContent
  /// Of the record in Redis that it is a copy of; nil: there is none yet.
  var stamp: UInt64?
  /// Of the record that came with its newest event.
  var eventStamp: UInt64
  /// Parts of the record that only newer programs know.
  let unknown: [UInt8]
  private let arena: Arena

  init(
    _ content: consuming SessionContent, stamp: UInt64?, eventStamp: UInt64, unknown: [UInt8] = [], in arena: Arena
  ) {
    self.content = content
    self.stamp = stamp
    self.eventStamp = eventStamp
    self.unknown = unknown
    self.arena = arena
  }

  deinit {
    if let record = content.record { arena.release(record) }
  }

  /// One to be changed apart; nil if the session is gone.
  func copy() throws(StoreError) -> SessionCopy? {
    guard content.record != nil else { return nil }
    let record = try arena.allocate()
    guard let content = content.copy(with: record) else { return nil }
    return SessionCopy(content, stamp: stamp, eventStamp: eventStamp, unknown: unknown, in: arena)
  }

  /// What an edit is compared with, and what it begins at.
  var base: Base? {
    guard let record = content.record else { return nil }
    return Base(
      stamp: stamp, eventID: record.pointee.eventID, changedAt: record.pointee.changedAt,
      active: record.pointee.active, rememberedCount: content.notes?.rememberedCount ?? 0)
  }

  /// A copy before an edit, as far as the edit's writing needs to know.
  struct Base {
    let stamp: UInt64?
    let eventID: UInt64
    let changedAt: UInt32
    let active: Bool
    let rememberedCount: Int
    /// Which of the session's looks and edits this one is of, in the order in which they began; 0: of none.
    var number: UInt64 = 0
    /// Whether Redis was seen to have it since whoever asks has asked.
    var isNewest = false

    /// Before there is a session, or of one of which nothing is known.
    static let nothing = Base(stamp: nil, eventID: 0, changedAt: 0, active: false, rememberedCount: 0)
  }

  /// Lets go of the text and all the rest: the session is gone.
  mutating func drop() {
    guard let record = content.record else { return }
    content.record = nil
    content.forgetNotes()
    arena.release(record)
  }
}
