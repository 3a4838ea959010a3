/// A session without its text, as a store outside of this process keeps it: plain values, all of them.
package struct KeptSession: Equatable, Sendable {
  package var id: SessionID
  package var nonce: SessionID
  package var createdAt: Instant
  /// In seconds since 1970.
  package var createdOn: UInt32
  package var options: EntryOptions
  package var status = Status.open
  /// Characters in; those of an open session are kept apart.
  package var count: UInt8 = 0
  package var active = false
  package var held = false
  package var rejected = false
  package var attempts: UInt32 = 0
  package var completion: UInt32 = 0
  package var revision: UInt32 = 0
  package var changedAt: UInt32 = 0
  package var eventID: UInt64 = 0
  package var pause = Pause.none
  /// When the pause began, or when the session closed.
  package var since: Instant

  package init(
    id: SessionID, nonce: SessionID, options: EntryOptions, createdAt: Instant, createdOn: UInt32, since: Instant
  ) {
    self.id = id
    self.nonce = nonce
    self.options = options
    self.createdAt = createdAt
    self.createdOn = createdOn
    self.since = since
  }
}

/// Between which two moments of the entry time is measured.
package enum Pause: UInt8, Sendable {
  case none, beforeFirstInput, betweenInputs
}

extension Session {
  /// All of it but the text.
  package var kept: KeptSession {
    var kept = KeptSession(
      id: id, nonce: nonce, options: options, createdAt: createdAt, createdOn: createdOn, since: since)
    kept.status = status
    kept.count = textCount
    kept.active = active
    kept.held = held
    kept.rejected = rejected
    kept.attempts = attempts
    kept.completion = completion
    kept.revision = revision
    kept.changedAt = changedAt
    kept.eventID = eventID
    kept.pause = pause
    return kept
  }

  /// The session that `kept` was taken of, still without its text.
  package init(_ kept: KeptSession) {
    self.init(id: kept.id, nonce: kept.nonce, options: kept.options, at: kept.createdAt, on: kept.createdOn)
    textCount = kept.count
    status = kept.status
    active = kept.active
    held = kept.held
    rejected = kept.rejected
    attempts = kept.attempts
    completion = kept.completion
    revision = kept.revision
    changedAt = kept.changedAt
    eventID = kept.eventID
    pause = kept.pause
    since = kept.since
  }

  /// Puts the text into a session that was made of what was kept, where it lies.
  ///
  /// - Parameter characters: in ASCII, as many as its count.
  package mutating func restoreText(_ characters: UnsafeRawBufferPointer) {
    for (index, character) in characters.enumerated() where index < text.count { text[index] = character }
  }
}
