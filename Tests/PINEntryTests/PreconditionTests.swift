import PINEntry
import Testing

/// `at`, `If-Match`, and which refusal comes first.
@Suite struct PreconditionTests {
  @Test func `an edit at the count that is in is made, and at another is refused`() throws {
    var entry = Entry()
    try entry.insert("1", at: 0)
    try entry.insert("2", at: 1)
    #expect(throws: EditError.outOfPosition) { try entry.insert("2", at: 1) }
    #expect(throws: EditError.outOfPosition) { try entry.insert("4", at: 3) }
    #expect(throws: EditError.outOfPosition) { try entry.deleteBackward(at: 1) }
    #expect(throws: EditError.outOfPosition) { try entry.deleteBackward(at: -1) }
    #expect(entry.text == "12")
    try entry.deleteBackward(at: 2)
    #expect(entry.text == "1")
    #expect(entry.told == ["begin change", "change", "change delete"])
  }

  @Test func `every change but the one that was asked for at this revision is refused as stale`() throws {
    var entry = try Entry(typed: "123456")
    let other = RevisionMatch.oneOf([0, 2])
    #expect(throws: EditError.stale) { try entry.begin(if: other) }
    #expect(throws: EditError.stale) { try entry.insert("", if: other) }
    #expect(throws: EditError.stale) { try entry.deleteBackward(if: other) }
    #expect(throws: EditError.stale) { try entry.clear(if: other) }
    #expect(throws: EditError.stale) { try entry.set("1", if: other) }
    #expect(throws: EditError.stale) { try entry.end(if: other) }
    #expect(throws: EditError.stale) { try entry.redeem(if: other) }
    #expect(throws: EditError.stale) { try entry.accept(if: other) }
    #expect(throws: EditError.stale) { try entry.reject(if: other) }
    #expect(throws: EditError.stale) { try entry.cancel(if: other) }
    #expect(throws: EditError.stale) { try entry.configure(if: other) { $0.length = 7 } }
    #expect(throws: EditError.stale) { try entry.begin(if: .oneOf([])) }
    #expect(entry.told.isEmpty)
    try entry.deleteBackward(if: .oneOf([4, 1]))
    #expect(entry.told == ["change delete"])
  }

  @Test func `a character that can't be is told first, even of a closed session`() throws {
    var entry = try Entry(typed: "1")
    try entry.cancel()
    #expect(throws: EditError.invalidCharacter(index: 0)) { try entry.insert("x", at: 9, if: .oneOf([99])) }
    #expect(throws: EditError.closed) { try entry.insert("1", at: 9, if: .oneOf([99])) }
  }

  @Test func `stale comes before held, held before out of position, that before nothing left, full and overflow`()
    throws
  {
    var entry = try Entry(EntryOptions(overflow: .reject), typed: "123456")
    try entry.redeem(hold: true)
    #expect(throws: EditError.stale) { try entry.insert("1", at: 9, if: .oneOf([99])) }
    #expect(throws: EditError.held) { try entry.insert("1", at: 9) }
    #expect(throws: EditError.held) { try entry.insert("") }
    try entry.reject()
    try entry.insert("123456")
    #expect(throws: EditError.outOfPosition) { try entry.insert("", at: 9) }
    #expect(throws: EditError.outOfPosition) { try entry.insert("1", at: 9) }
    #expect(try entry.insert("", at: 6) == Insertion(accepted: 0, truncated: 0))
    #expect(throws: EditError.full) { try entry.insert("12345678", at: 6) }
  }
}
