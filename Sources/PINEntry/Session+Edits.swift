/// What an insert or a set took.
package struct Insertion: Equatable, Sendable {
  package let accepted: Int
  package let truncated: Int

  package init(accepted: Int, truncated: Int) {
    self.accepted = accepted
    self.truncated = truncated
  }
}

/// The edits of a keypad. `UIKeyInput`'s `insertText` and `deleteBackward`, and what goes with them.
extension Session {
  /// Becomes active.
  package mutating func begin(if precondition: Precondition = .none, at now: Instant) throws(EditError) {
    try checkEditable(precondition)
    if !active { beginEntry(at: now) }
    seal()
  }

  /// Inserts at the end.
  ///
  /// - Parameter utf8: valid UTF-8, as it was sent.
  package mutating func insert(
    _ utf8: Span<UInt8>, if precondition: Precondition = .none, at now: Instant
  ) throws(EditError) -> Insertion {
    let sent = try Characters.count(in: utf8, options.alphabet)
    try checkEditable(precondition)
    guard sent > 0 else { return Insertion(accepted: 0, truncated: 0) }
    let room = length - count
    guard room > 0 else { throw .full }
    guard sent <= room || options.overflow == .truncate else { throw .overflow(room: room) }
    let accepted = min(sent, room)
    changeText(keeping: count, appending: utf8, limit: accepted, at: now)
    seal()
    return Insertion(accepted: accepted, truncated: sent - accepted)
  }

  /// Removes the last character; with nothing to remove it only tells that it was asked to.
  package mutating func deleteBackward(if precondition: Precondition = .none, at now: Instant) throws(EditError) {
    try checkEditable(precondition)
    guard !isSealed else { throw .sealed }
    if hasText { changeText(keeping: count - 1, at: now) }
    fired.insert(.delete)
    seal()
  }

  /// Removes all.
  package mutating func clear(if precondition: Precondition = .none, at now: Instant) throws(EditError) {
    try checkEditable(precondition)
    if hasText { changeText(keeping: 0, at: now) }
    seal()
  }

  /// Replaces all, as one edit. It counts as a change also when the text is the same: whether two texts are equal is
  /// not for anybody to see.
  ///
  /// - Parameter utf8: valid UTF-8, as it was sent.
  package mutating func set(
    _ utf8: Span<UInt8>, if precondition: Precondition = .none, at now: Instant
  ) throws(EditError) -> Insertion {
    let sent = try Characters.count(in: utf8, options.alphabet)
    try checkEditable(precondition)
    guard sent <= length || options.overflow == .truncate else { throw .overflow(room: length) }
    let accepted = min(sent, length)
    if hasText || accepted > 0 { changeText(keeping: 0, appending: utf8, limit: accepted, at: now) }
    seal()
    return Insertion(accepted: accepted, truncated: sent - accepted)
  }

  /// Becomes inactive.
  package mutating func end(if precondition: Precondition = .none, at now: Instant) throws(EditError) {
    try checkEditable(precondition)
    if active { endEntry(.ended) }
    seal()
  }

  private func checkEditable(_ precondition: Precondition) throws(EditError) {
    try checkOpen(precondition)
    guard !held else { throw .held }
    guard precondition.count == nil || precondition.count == count else { throw .outOfPosition }
  }
}
