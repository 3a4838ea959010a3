/// The only ways to the text and to the parts of the state that hang on it.
extension Session {
  /// Keeps the first `keeping` characters, appends at most `limit` of `utf8`, and does what follows from it: begins the
  /// entry, forgets the error, measures the next pause, completes. Every change of the text comes through here, so
  /// that no completion can be missed or told twice.
  ///
  /// - Parameter utf8: a text that `Characters.count` has accepted.
  mutating func changeText(keeping: Int, appending utf8: Span<UInt8> = .init(), limit: Int = 0, at now: Instant) {
    let wasComplete = complete
    if !active { beginEntry(at: now) }
    for index in keeping..<count { text[index] = 0 }
    var end = keeping
    Characters.forEach(in: utf8, options.alphabet, limit: limit) { character in
      text[end] = character
      end += 1
    }
    textCount = UInt8(end)
    rejected = false
    changedAt = revision &+ 1
    fired.insert(.change)
    pauseAfterChange(at: now)
    // A text that was replaced whole is complete anew; one that only lost characters can't be complete.
    if complete, !wasComplete || keeping == 0 { completeEntry() }
  }

  mutating func completeEntry() {
    completion &+= 1
    pause = .none
    fired.insert(.complete)
    if options.endsOnComplete && active { endEntry(.complete) }
  }

  mutating func beginEntry(at now: Instant) {
    active = true
    pause = complete ? .none : .beforeFirstInput
    since = now
    fired.insert(.begin)
  }

  mutating func endEntry(_ reason: EndReason) {
    active = false
    pause = .none
    fired.insertEnd(reason)
  }

  /// Starts to measure the time to the next change.
  mutating func pauseAfterChange(at now: Instant) {
    pause = active && !complete ? .betweenInputs : .none
    since = now
  }

  /// Wipes the text of a complete entry and keeps the count: it has been sealed.
  package mutating func wipeText() {
    for index in text.indices { text[index] = 0 }
  }

  /// Closes for good: wipes the text, ends a hold and the entry, keeps the count.
  mutating func close(as status: Status, ending reason: EndReason = .closed, at now: Instant) {
    wipeText()
    held = false
    if active { endEntry(reason) }
    self.status = status
    since = now
    fired.insert(.close)
  }

  func checkOpen(_ precondition: Precondition) throws(EditError) {
    guard status == .open else { throw .closed }
    guard precondition.revision.accepts(revision) else { throw .stale }
  }

  /// Ends an edit: counts its events, and the revision if there was one.
  mutating func seal() {
    guard !fired.isEmpty else { return }
    revision &+= 1
    eventID &+= UInt64(fired.count)
  }
}
