import PINEntry
import Testing

/// How the digits leave, and what the owner's verdict does.
@Suite struct OwnerTests {
  @Test func `a redeem gives the text once and closes`() throws {
    var entry = try Entry(typed: "123456")
    #expect(try entry.redeem() == "123456")
    #expect(entry.told == ["end:closed close"])
    #expect(entry.session.status == .redeemed)
    #expect(throws: EditError.closed) { try entry.redeem() }
  }

  @Test func `a redeem before the entry is complete is refused`() throws {
    var entry = try Entry(typed: "12345")
    #expect(throws: EditError.incomplete) { try entry.redeem() }
    #expect(throws: EditError.incomplete) { try entry.redeem(hold: true) }
    #expect(entry.told.isEmpty)
    #expect(entry.session.status == .open)
  }

  @Test func `a redeem that holds keeps the session open, and may be repeated`() throws {
    var entry = try Entry(typed: "123456")
    #expect(try entry.redeem(hold: true) == "123456")
    #expect(try entry.redeem(hold: true) == "123456")
    #expect(entry.told == ["hold"])
    #expect(entry.session.held)
    #expect(entry.session.status == .open)
    #expect(entry.session.revision == 2)
  }

  @Test func `a plain redeem of a held text closes as redeemed`() throws {
    var entry = try Entry(typed: "123456")
    try entry.redeem(hold: true)
    #expect(try entry.redeem() == "123456")
    #expect(entry.told == ["hold", "end:closed close"])
    #expect(entry.session.status == .redeemed)
    #expect(!entry.session.held)
  }

  @Test func `while held every edit and every change of options is refused`() throws {
    var entry = try Entry(typed: "123456")
    try entry.redeem(hold: true)
    entry.forget()
    #expect(throws: EditError.held) { try entry.begin() }
    #expect(throws: EditError.held) { try entry.insert("1") }
    #expect(throws: EditError.held) { try entry.deleteBackward() }
    #expect(throws: EditError.held) { try entry.clear() }
    #expect(throws: EditError.held) { try entry.set("1") }
    #expect(throws: EditError.held) { try entry.end() }
    #expect(throws: EditError.held) { try entry.configure { $0.length = 8 } }
    #expect(throws: EditError.held) { try entry.configure { $0.length = 1 } }
    #expect(entry.told.isEmpty)
    #expect(entry.text == "123456")
  }

  @Test func `an accept closes a held session, and only a held one`() throws {
    var entry = try Entry(typed: "123456")
    #expect(throws: EditError.notHeld) { try entry.accept() }
    try entry.redeem(hold: true)
    try entry.accept()
    #expect(entry.told == ["hold", "end:closed close"])
    #expect(entry.session.status == .accepted)
    #expect(!entry.session.held)
    #expect(throws: EditError.closed) { try entry.accept() }
  }

  @Test func `a reject ends the hold, clears and counts, and leaves the entry active`() throws {
    var entry = try Entry(typed: "123456")
    #expect(throws: EditError.notHeld) { try entry.reject() }
    try entry.redeem(hold: true)
    try entry.reject()
    #expect(entry.told == ["hold", "change reject"])
    #expect(entry.session.state.attempts == 1)
    #expect(entry.session.active && !entry.session.held && entry.session.rejected)
    #expect(entry.text == "")
  }

  @Test func `a reject leaves an inactive entry inactive`() throws {
    var entry = try Entry(EntryOptions(endsOnComplete: true), typed: "123456")
    try entry.redeem(hold: true)
    try entry.reject()
    #expect(entry.told == ["hold", "change reject"])
    #expect(!entry.session.active)
    try entry.insert("1")
    #expect(entry.told.last == "begin change")
  }

  @Test func `an error stays until the text changes`() throws {
    for change in [{ try $0.insert("1") }, { try $0.set("1") }] as [(inout Entry) throws -> Void] {
      var entry = try Entry(typed: "123456")
      try entry.redeem(hold: true)
      try entry.reject()
      try entry.deleteBackward()
      try entry.clear()
      try entry.set("")
      try entry.insert("-")
      try entry.end()
      try entry.begin()
      try entry.configure { $0.length = 5 }
      #expect(entry.session.rejected)
      try change(&entry)
      #expect(!entry.session.rejected)
    }
  }

  @Test func `the last attempt that is allowed locks`() throws {
    var entry = Entry(EntryOptions(length: 2, maxAttempts: 2))
    for _ in 0..<2 {
      try entry.insert("12")
      try entry.redeem(hold: true)
      try entry.reject()
    }
    #expect(
      entry.told == [
        "begin change complete", "hold", "change reject", "change complete", "hold", "change end:closed reject close",
      ])
    #expect(entry.session.status == .locked)
    #expect(entry.session.attempts == 2)
    #expect(entry.session.rejected)
    #expect(entry.session.count == 0)
  }

  @Test func `without a limit of attempts nothing locks, and a lower limit counts at the next reject`() throws {
    var entry = Entry(EntryOptions(length: 1))
    for _ in 0..<101 {
      try entry.insert("1")
      try entry.redeem(hold: true)
      try entry.reject()
    }
    #expect(entry.session.status == .open)
    try entry.configure { $0.maxAttempts = 1 }
    #expect(entry.session.status == .open)
    try entry.insert("1")
    try entry.redeem(hold: true)
    try entry.reject()
    #expect(entry.session.status == .locked)
    #expect(entry.session.attempts == 102)
  }

  @Test func `a cancel closes, and again is nothing`() throws {
    var entry = try Entry(typed: "123")
    try entry.cancel()
    try entry.cancel()
    #expect(entry.told == ["end:closed close"])
    #expect(entry.session.status == .cancelled)
  }

  @Test func `a cancel of a session that closed otherwise is refused`() throws {
    var entry = try Entry(typed: "123456")
    try entry.redeem()
    #expect(throws: EditError.closed) { try entry.cancel() }
  }

  @Test func `closing an inactive entry ends nothing`() throws {
    var entry = Entry()
    try entry.cancel()
    #expect(entry.told == ["close"])
  }

  @Test func `closing wipes the text and keeps the count`() throws {
    let closings: [(inout Entry) throws -> Void] = [
      { try $0.redeem() }, { try $0.cancel() }, { $0.wait(seconds: 300) },
      { entry in
        try entry.redeem(hold: true)
        try entry.accept()
      },
    ]
    for close in closings {
      var entry = try Entry(typed: "987654")
      #expect(bytes(of: entry.session).contains("987654"))
      try close(&entry)
      #expect(entry.session.status != .open)
      #expect(entry.text == "")
      #expect(entry.session.count == 6)
      #expect(!bytes(of: entry.session).contains("9"))
    }
  }

  @Test func `what a delete, a clear or a set takes away is wiped`() throws {
    var entry = try Entry(typed: "777777")
    try entry.deleteBackward()
    #expect(!bytes(of: entry.session).contains("777777"))
    try entry.set("1")
    #expect(!bytes(of: entry.session).contains("7"))
    try entry.clear()
    #expect(!bytes(of: entry.session).contains("1"))
  }

  @Test func `a closed session refuses everything`() throws {
    var entry = try Entry(typed: "123456")
    try entry.redeem()
    entry.forget()
    #expect(throws: EditError.closed) { try entry.begin() }
    #expect(throws: EditError.closed) { try entry.insert("") }
    #expect(throws: EditError.closed) { try entry.deleteBackward() }
    #expect(throws: EditError.closed) { try entry.clear() }
    #expect(throws: EditError.closed) { try entry.set("1") }
    #expect(throws: EditError.closed) { try entry.end() }
    #expect(throws: EditError.closed) { try entry.reject() }
    #expect(throws: EditError.closed) { try entry.configure(presentationChanged: true) { _ in } }
    #expect(entry.told.isEmpty)
  }

  /// The part of the record that the text is in, as it lies in memory: not what only its functions would give.
  private func bytes(of session: Session) -> String {
    withUnsafeBytes(of: session) { record in
      String(decoding: record.filter { (0x31...0x39).contains($0) }, as: UTF8.self)
    }
  }
}
