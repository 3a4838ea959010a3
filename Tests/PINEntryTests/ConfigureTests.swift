import PINEntry
import Testing

/// Options changed while the session is in use.
@Suite struct ConfigureTests {
  @Test func `a change of options tells of it once, and no change tells nothing`() throws {
    var entry = try Entry(typed: "12")
    try entry.configure { $0.length = 8 }
    try entry.configure { $0.length = 8 }
    try entry.configure(presentationChanged: true) { _ in }
    #expect(entry.told == ["configure", "configure"])
    #expect(entry.session.length == 8)
    #expect(entry.session.revision == 3)
  }

  @Test func `a length lowered to the count completes`() throws {
    var entry = try Entry(typed: "1234")
    try entry.configure { $0.length = 4 }
    #expect(entry.told == ["configure complete"])
    #expect(entry.session.completion == 1)
    #expect(try entry.redeem() == "1234")
  }

  @Test func `a length lowered to the count ends an active entry that ends on completion, and no inactive one`() throws
  {
    var entry = try Entry(typed: "1234")
    try entry.configure {
      $0.length = 4
      $0.endsOnComplete = true
    }
    #expect(entry.told == ["configure complete end:complete"])

    var inactive = try Entry(EntryOptions(endsOnComplete: true), typed: "1234")
    try inactive.end()
    inactive.forget()
    try inactive.configure { $0.length = 4 }
    #expect(inactive.told == ["configure complete"])
  }

  @Test func `a length below the count is refused, and leaves everything as it was`() throws {
    var entry = try Entry(typed: "1234")
    #expect(throws: EditError.lengthBelowCount) {
      try entry.configure {
        $0.length = 3
        $0.reveal = true
      }
    }
    #expect(entry.session.options == EntryOptions())
    #expect(entry.told.isEmpty)
  }

  @Test func `a longer entry is not complete any more, and completes again`() throws {
    var entry = try Entry(typed: "123456")
    try entry.configure { $0.length = 7 }
    #expect(!entry.session.complete)
    try entry.insert("7")
    #expect(entry.told == ["configure", "change complete"])
    #expect(entry.session.completion == 2)
  }

  @Test func `the alphabet changes only while there is no text`() throws {
    var entry = try Entry(typed: "1")
    #expect(throws: EditError.alphabetWithText) { try entry.configure { $0.alphabet = .alphanumeric } }
    try entry.clear()
    try entry.configure { $0.alphabet = .alphanumeric }
    try entry.insert("x")
    #expect(entry.text == "X")
  }

  @Test func `ending on completion counts at the next one`() throws {
    var entry = try Entry(EntryOptions(length: 2), typed: "12")
    try entry.configure { $0.endsOnComplete = true }
    #expect(entry.session.active)
    try entry.set("34")
    #expect(entry.told == ["configure", "change complete end:complete"])
  }

  @Test func `a change of options does not begin the entry and keeps the text`() throws {
    var entry = try Entry(typed: "12")
    try entry.end()
    try entry.configure { $0.overflow = .reject }
    #expect(!entry.session.active)
    #expect(entry.text == "12")
  }
}
