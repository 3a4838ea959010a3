/// Why an edit was refused. A refused edit has changed nothing.
package enum EditError: Error, Equatable, Sendable {
  /// The character at `index`, counted in Unicode scalars of the text as sent, is not of the alphabet.
  case invalidCharacter(index: Int)
  /// The session has closed.
  case closed
  /// The revision is not the one that the sender named.
  case stale
  /// The owner holds the text.
  case held
  /// The number of characters in is not what the sender believed.
  case outOfPosition
  /// There is no room for even one character.
  case full
  /// The text is longer than the room left, and the session refuses such texts.
  case overflow(room: Int)
  /// The entry is not complete.
  case incomplete
  /// There is no held text to judge.
  case notHeld
  /// The new length is below the number of characters in.
  case lengthBelowCount
  /// The alphabet can't change while there is text.
  case alphabetWithText
  /// The text is sealed, so that no character of it can be taken away or be asked to be followed by another.
  case sealed
}
