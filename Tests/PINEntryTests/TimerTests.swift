import PINEntry
import Testing

/// `firstInput`, `interDigit`, `total`, and how long a closed session stays.
@Suite struct TimerTests {
  private let timeouts = EntryOptions(timeouts: Timeouts(total: 100, firstInput: 10, interDigit: 5))

  @Test func `a session expires its total time after its creation, to the millisecond`() throws {
    var entry = try Entry(typed: "123")
    entry.wait(milliseconds: 299_999)
    #expect(entry.session.status == .open)
    entry.wait(milliseconds: 1)
    #expect(entry.session.status == .expired)
    #expect(entry.told == ["end:timeout close"])
    #expect(entry.session.revision == 2)
  }

  @Test func `an inactive entry that expires does not end`() {
    var entry = Entry()
    entry.wait(seconds: 300)
    #expect(entry.told == ["close"])
  }

  @Test func `the first input is waited for from begin on, and the session stays open`() throws {
    var entry = Entry(timeouts)
    entry.wait(seconds: 20)
    #expect(entry.told.isEmpty)
    try entry.begin()
    entry.wait(milliseconds: 9_999)
    try entry.begin()
    #expect(entry.session.active)
    entry.wait(milliseconds: 1)
    #expect(entry.told == ["begin", "end:timeout"])
    #expect(entry.session.status == .open)
  }

  @Test func `what changes nothing does not put the first input off`() throws {
    var entry = Entry(timeouts)
    try entry.begin()
    entry.wait(seconds: 9)
    try entry.deleteBackward()
    try entry.insert("-")
    entry.wait(seconds: 1)
    #expect(entry.told == ["begin", "delete", "end:timeout"])
  }

  @Test func `the next digit is waited for from each change on, and the text is kept`() throws {
    var entry = Entry(timeouts)
    try entry.insert("1")
    entry.wait(milliseconds: 4_999)
    try entry.insert("2")
    entry.wait(milliseconds: 4_999)
    try entry.deleteBackward()
    entry.wait(milliseconds: 4_999)
    #expect(entry.session.active)
    entry.wait(milliseconds: 1)
    #expect(entry.told.last == "end:timeout")
    #expect(entry.text == "1")
    #expect(entry.session.status == .open)
  }

  @Test func `a full entry is not waited for, nor is a held one`() throws {
    var entry = try Entry(timeouts, typed: "123456")
    entry.wait(seconds: 50)
    try entry.redeem(hold: true)
    entry.wait(seconds: 49)
    #expect(entry.told == ["hold"])
    entry.wait(seconds: 1)
    #expect(entry.told == ["hold", "end:timeout close"])
    #expect(!entry.session.held)
  }

  @Test func `a full entry that is begun anew is not waited for`() throws {
    var entry = try Entry(timeouts, typed: "123456")
    try entry.end()
    try entry.begin()
    entry.wait(seconds: 60)
    #expect(entry.told == ["end:ended", "begin"])
  }

  @Test func `after a rejection an active entry is waited for, and an inactive one is not`() throws {
    var entry = try Entry(timeouts, typed: "123456")
    try entry.redeem(hold: true)
    try entry.reject()
    entry.wait(seconds: 5)
    #expect(entry.told == ["hold", "change reject", "end:timeout"])

    var inactive = try Entry(timeouts, typed: "123456")
    try inactive.end()
    try inactive.redeem(hold: true)
    try inactive.reject()
    inactive.forget()
    inactive.wait(seconds: 50)
    #expect(inactive.told.isEmpty)
  }

  @Test func `a patch that makes a full entry not full starts the wait for the next digit`() throws {
    var entry = try Entry(timeouts, typed: "123456")
    entry.wait(seconds: 20)
    try entry.configure { $0.length = 7 }
    entry.wait(milliseconds: 4_999)
    #expect(entry.told == ["configure"])
    entry.wait(milliseconds: 1)
    #expect(entry.told == ["configure", "end:timeout"])
  }

  @Test func `other patches do not put the wait off`() throws {
    var entry = try Entry(timeouts, typed: "1")
    entry.wait(seconds: 4)
    try entry.configure { $0.length = 7 }
    entry.wait(seconds: 1)
    #expect(entry.told == ["configure", "end:timeout"])
  }

  @Test func `timers that a late request finds have fired in order and on time`() throws {
    var entry = Entry(timeouts)
    try entry.insert("1")
    entry.wait(seconds: 399)
    #expect(entry.told == ["begin change", "end:timeout", "close"])
    #expect(!entry.session.isOver(at: entry.now))
    entry.wait(seconds: 1)
    #expect(entry.session.isOver(at: entry.now))
  }

  @Test func `when both are due at once the session closes, in one edit`() throws {
    var entry = Entry(EntryOptions(timeouts: Timeouts(total: 10, interDigit: 5)))
    entry.wait(seconds: 5)
    try entry.insert("1")
    entry.wait(seconds: 10)
    #expect(entry.told == ["begin change", "end:timeout close"])
  }

  @Test func `a closed session is over after 300 seconds, however it closed`() throws {
    let closings: [(inout Entry) throws -> Void] = [{ try $0.redeem() }, { try $0.cancel() }]
    for close in closings {
      var entry = try Entry(typed: "123456")
      entry.wait(seconds: 200)
      try close(&entry)
      entry.wait(milliseconds: 299_999)
      #expect(!entry.session.isOver(at: entry.now))
      entry.wait(milliseconds: 1)
      #expect(entry.session.isOver(at: entry.now))
      #expect(entry.told == ["end:closed close"])
    }
  }

  @Test func `the total time can be made longer and shorter`() throws {
    var entry = Entry(timeouts)
    entry.wait(seconds: 99)
    try entry.configure { $0.timeouts.total = 200 }
    #expect(entry.session.state.expiresAt == 1_000_200)
    entry.wait(seconds: 100)
    #expect(entry.session.status == .open)
    entry.wait(seconds: 1)
    #expect(entry.told == ["configure", "close"])
  }

  @Test func `a total time that has passed already expires the session now, and it still answers for 300 seconds`()
    throws
  {
    var entry = Entry(EntryOptions(timeouts: Timeouts(total: 3600)))
    entry.wait(seconds: 1000)
    try entry.insert("1")
    try entry.configure { $0.timeouts.total = 60 }
    #expect(entry.session.status == .expired)
    #expect(entry.told == ["begin change", "configure end:timeout close"])
    entry.wait(seconds: 299)
    #expect(!entry.session.isOver(at: entry.now))
    entry.wait(seconds: 1)
    #expect(entry.session.isOver(at: entry.now))
  }

  @Test func `the deadline is the next moment at which something happens by itself`() throws {
    var entry = Entry(timeouts)
    let start = entry.now
    #expect(entry.session.deadline == start.adding(seconds: 100))
    try entry.begin()
    #expect(entry.session.deadline == start.adding(seconds: 10))
    entry.wait(seconds: 2)
    try entry.insert("1")
    #expect(entry.session.deadline == start.adding(seconds: 7))
    try entry.insert("23456")
    #expect(entry.session.deadline == start.adding(seconds: 100))
    try entry.cancel()
    #expect(entry.session.deadline == start.adding(seconds: 302))
  }
}
