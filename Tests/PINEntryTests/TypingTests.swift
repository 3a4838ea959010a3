import PINEntry
import Testing

/// What a keypad's edits do to the text, and which events they tell.
@Suite struct TypingTests {
  @Test func `a new session is open, empty and inactive`() {
    let session = Entry().session
    #expect(
      session.state
        == SessionState(
          length: 6, count: 0, status: .open, active: false, held: false, rejected: false, attempts: 0, completion: 0,
          revision: 0, expiresAt: 1_000_300))
    #expect(session.eventID == 0)
  }

  @Test func `typing 012345 begins once and completes once`() throws {
    var entry = Entry()
    for digit in "012345" { try entry.insert(String(digit)) }
    #expect(entry.text == "012345")
    #expect(entry.told == ["begin change", "change", "change", "change", "change", "change complete"])
    #expect(entry.session.revision == 6)
    #expect(entry.session.eventID == 8)
    #expect(entry.session.completion == 1)
    #expect(entry.session.complete && entry.session.active)
  }

  @Test func `pasting a whole code with a newline is one edit`() throws {
    var entry = Entry()
    #expect(try entry.insert(" 123-456\n") == Insertion(accepted: 6, truncated: 0))
    #expect(entry.text == "123456")
    #expect(entry.told == ["begin change complete"])
    #expect(entry.session.revision == 1)
    #expect(entry.session.eventID == 3)
  }

  @Test func `an insert longer than the room fills it and reports the rest`() throws {
    var entry = try Entry(typed: "12345")
    #expect(try entry.insert("6789") == Insertion(accepted: 1, truncated: 3))
    #expect(entry.text == "123456")
    #expect(entry.told == ["change complete"])
  }

  @Test func `an insert longer than the room is refused whole by a session that rejects`() throws {
    var entry = try Entry(EntryOptions(overflow: .reject), typed: "12345")
    #expect(throws: EditError.overflow(room: 1)) { try entry.insert("6789") }
    #expect(throws: EditError.overflow(room: 6)) { try entry.set("1234567") }
    #expect(entry.text == "12345")
    #expect(entry.told.isEmpty)
    #expect(try entry.insert("-6-") == Insertion(accepted: 1, truncated: 0))
    #expect(try entry.set("65 43 21") == Insertion(accepted: 6, truncated: 0))
    #expect(entry.text == "654321")
  }

  @Test func `an insert into a full entry is refused, whatever the overflow`() throws {
    for overflow in Overflow.allCases {
      var entry = try Entry(EntryOptions(overflow: overflow), typed: "123456")
      #expect(throws: EditError.full) { try entry.insert("7") }
      #expect(throws: EditError.full) { try entry.insert("7890123") }
      #expect(entry.text == "123456")
      #expect(entry.session.completion == 1)
      #expect(entry.told.isEmpty)
    }
  }

  @Test(arguments: ["", "-", " \n", "\u{200B}", "./_"])
  func `an insert of which nothing is left takes nothing and tells nothing, also when full`(text: String) throws {
    for typed in ["12", "123456"] {
      var entry = try Entry(typed: typed)
      #expect(try entry.insert(text) == Insertion(accepted: 0, truncated: 0))
      #expect(entry.session.revision == 1)
      #expect(entry.told.isEmpty)
    }
  }

  @Test func `an insert of which nothing is left does not begin the entry`() throws {
    var entry = Entry()
    try entry.insert("-")
    #expect(!entry.session.active)
  }

  @Test func `an edit that is refused does not begin the entry`() throws {
    var entry = try Entry(typed: "123456")
    try entry.end()
    #expect(throws: EditError.full) { try entry.insert("7") }
    #expect(throws: EditError.invalidCharacter(index: 0)) { try entry.set("x") }
    #expect(throws: EditError.outOfPosition) { try entry.deleteBackward(at: 1) }
    #expect(!entry.session.active)
  }

  @Test func `a delete on an empty entry changes nothing but tells of it`() throws {
    var entry = Entry()
    try entry.deleteBackward()
    #expect(entry.told == ["delete"])
    #expect(entry.session.revision == 1)
    #expect(entry.session.eventID == 1)
    #expect(!entry.session.active)
  }

  @Test func `a delete removes the last character, after its change`() throws {
    var entry = try Entry(typed: "123")
    try entry.deleteBackward()
    #expect(entry.text == "12")
    #expect(entry.told == ["change delete"])
  }

  @Test func `an entry that is deleted from and filled again completes again`() throws {
    var entry = try Entry(typed: "123456")
    try entry.deleteBackward()
    #expect(!entry.session.complete)
    #expect(entry.session.completion == 1)
    try entry.insert("7")
    #expect(entry.text == "123457")
    #expect(entry.told == ["change delete", "change complete"])
    #expect(entry.session.completion == 2)
  }

  @Test func `a delete begins an entry that has ended, if there is something to delete`() throws {
    var entry = try Entry(typed: "1")
    try entry.end()
    try entry.deleteBackward()
    #expect(entry.told == ["end:ended", "begin change delete"])
    try entry.end()
    try entry.deleteBackward()
    #expect(entry.told.suffix(2) == ["end:ended", "delete"])
    #expect(!entry.session.active)
  }

  @Test func `a clear removes all, and tells nothing when there is nothing`() throws {
    var entry = try Entry(typed: "123456")
    try entry.clear()
    #expect(entry.text == "" && entry.session.count == 0)
    try entry.clear()
    #expect(entry.told == ["change"])
    #expect(entry.session.completion == 1)
  }

  @Test func `a set replaces all as one edit`() throws {
    var entry = try Entry(typed: "12345")
    #expect(try entry.set("99") == Insertion(accepted: 2, truncated: 0))
    #expect(entry.text == "99")
    #expect(entry.told == ["change"])
  }

  @Test func `a set over a full entry completes anew, also with the same text`() throws {
    var entry = try Entry(typed: "123456")
    try entry.set("654321")
    try entry.set("654321")
    #expect(entry.told == ["change complete", "change complete"])
    #expect(entry.session.completion == 3)
    #expect(entry.text == "654321")
  }

  @Test func `a set with a text too long fills the entry and reports the rest`() throws {
    var entry = Entry()
    #expect(try entry.set("1234567890") == Insertion(accepted: 6, truncated: 4))
    #expect(entry.text == "123456")
    #expect(entry.told == ["begin change complete"])
  }

  @Test func `a set of which nothing is left clears, and is nothing on an empty entry`() throws {
    var entry = try Entry(typed: "12")
    #expect(try entry.set("--") == Insertion(accepted: 0, truncated: 0))
    #expect(entry.told == ["change"])
    try entry.end()
    try entry.set("")
    #expect(entry.told == ["change", "end:ended"])
    #expect(!entry.session.active)
  }

  @Test func `two begins tell one, and so do two ends`() throws {
    var entry = Entry()
    try entry.begin()
    try entry.begin()
    try entry.end()
    try entry.end()
    #expect(entry.told == ["begin", "end:ended"])
    #expect(entry.session.revision == 2)
  }

  @Test func `an end keeps the text`() throws {
    var entry = try Entry(typed: "123")
    try entry.end()
    #expect(entry.text == "123")
    try entry.insert("4")
    #expect(entry.told == ["end:ended", "begin change"])
  }

  @Test func `an entry that ends on completion ends in the same edit`() throws {
    var entry = Entry(EntryOptions(length: 2, endsOnComplete: true))
    try entry.insert("1")
    try entry.insert("2")
    try entry.set("34")
    try entry.deleteBackward()
    #expect(
      entry.told == [
        "begin change", "change complete end:complete", "begin change complete end:complete", "begin change delete",
      ])
  }

  @Test func `every length from 1 to 32 can be filled`() throws {
    for length in EntryOptions.lengths {
      var entry = Entry(EntryOptions(length: UInt8(length), alphabet: .alphanumeric))
      let text = String("ABCDEFGHIJKLMNOPQRSTUVWXYZ012345".prefix(length))
      #expect(try entry.insert(text + "Z") == Insertion(accepted: length, truncated: 1))
      #expect(entry.text == text)
      #expect(entry.session.complete)
    }
  }
}
