/// The options that decide what an edit does; plain values, so that they live in the session's record.
package struct EntryOptions: Equatable, Sendable {
  /// Number of cells, 1…32.
  package var length: UInt8
  package var alphabet: Alphabet
  package var overflow: Overflow
  /// Whether the characters are shown, to whoever holds a token and in the picture.
  package var reveal: Bool
  /// Whether the entry ends by itself when it is complete.
  package var endsOnComplete: Bool
  /// After so many rejections the session closes as `locked`, 0…100; 0: no limit.
  package var maxAttempts: UInt8
  package var timeouts: Timeouts
  /// Whether the text is sealed, and wiped, as soon as it is complete. Never changes.
  package var seals: Bool

  package init(
    length: UInt8 = 6, alphabet: Alphabet = .digits, overflow: Overflow = .truncate, reveal: Bool = false,
    endsOnComplete: Bool = false, maxAttempts: UInt8 = 0, timeouts: Timeouts = Timeouts(), seals: Bool = false
  ) {
    self.length = length
    self.alphabet = alphabet
    self.overflow = overflow
    self.reveal = reveal
    self.endsOnComplete = endsOnComplete
    self.maxAttempts = maxAttempts
    self.timeouts = timeouts
    self.seals = seals
  }

  /// What `length` may be; the text has room for as many.
  package static let lengths: ClosedRange<Int> = 1...32
}

/// How long a session and its entry may take, in whole seconds, 1…86400 each.
package struct Timeouts: Equatable, Sendable {
  /// From creation to the end of the session.
  package var total: UInt32
  /// From `begin` to the first change; 0: no limit.
  package var firstInput: UInt32
  /// From each change to the next; 0: no limit.
  package var interDigit: UInt32

  package init(total: UInt32 = 300, firstInput: UInt32 = 0, interDigit: UInt32 = 0) {
    self.total = total
    self.firstInput = firstInput
    self.interDigit = interDigit
  }
}
