/// What only the owner does.
extension Session {
  /// Sees that the text may be handed over, and closes with it or holds it.
  ///
  /// A plain redeem closes as `redeemed`; with `hold` the session stays open until a verdict, and asking again gives
  /// the same again. The text is handed over by `body`, before it is wiped.
  ///
  /// - Parameter body: gets the session while its text is still in.
  package mutating func redeem<R>(
    hold: Bool, if precondition: Precondition = .none, at now: Instant, _ body: (borrowing Session) -> R
  ) throws(EditError) -> R {
    try checkOpen(precondition)
    guard complete else { throw .incomplete }
    let handed = body(self)
    if !hold {
      close(as: .redeemed, at: now)
    } else if !held {
      held = true
      fired.insert(.hold)
    }
    seal()
    return handed
  }

  /// The right code: closes as `accepted`.
  package mutating func accept(if precondition: Precondition = .none, at now: Instant) throws(EditError) {
    try checkOpen(precondition)
    guard held else { throw .notHeld }
    close(as: .accepted, at: now)
    seal()
  }

  /// The wrong code: ends the hold, clears, counts the attempt, and locks at the last one.
  package mutating func reject(if precondition: Precondition = .none, at now: Instant) throws(EditError) {
    try checkOpen(precondition)
    guard held else { throw .notHeld }
    held = false
    let wasActive = active
    // A clearing would begin the entry; a verdict leaves it as it is.
    active = true
    changeText(keeping: 0, at: now)
    active = wasActive
    if !active { pause = .none }
    rejected = true
    attempts &+= 1
    fired.insert(.reject)
    if options.maxAttempts > 0 && attempts >= options.maxAttempts { close(as: .locked, at: now) }
    seal()
  }

  /// Closes as `cancelled`; nothing if that has been done.
  package mutating func cancel(if precondition: Precondition = .none, at now: Instant) throws(EditError) {
    if status == .cancelled { return }
    try checkOpen(precondition)
    close(as: .cancelled, at: now)
    seal()
  }

  /// Changes options while the session is in use.
  ///
  /// - Parameter presentationChanged: whether options that the session does not know have changed too.
  package mutating func configure(
    _ new: EntryOptions, presentationChanged: Bool, if precondition: Precondition = .none, at now: Instant
  ) throws(EditError) {
    try checkOpen(precondition)
    guard !held else { throw .held }
    guard Int(new.length) >= count else { throw .lengthBelowCount }
    guard new.alphabet == options.alphabet || !hasText else { throw .alphabetWithText }
    guard new.length == options.length || !isSealed else { throw .sealed }
    guard new != options || presentationChanged else { return }
    let wasComplete = complete
    options = new
    fired.insert(.configure)
    if complete && !wasComplete { completeEntry() }
    if !complete && wasComplete { pauseAfterChange(at: now) }
    // A total time that has passed already: it closes now and not back then, or it could be gone before it has answered.
    if totalDeadline <= now { close(as: .expired, ending: .timeout, at: now) }
    seal()
  }
}
