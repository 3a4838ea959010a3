import PINEntry
import Testing

/// How a text that was typed or pasted is read.
@Suite struct CharacterTests {
  @Test(arguments: [
    ("012345", "012345"),
    (" 123-456\n", "123456"),
    ("12 34 56", "123456"),
    ("１２３", "123"),
    ("٣۳３3", "3333"),
    ("1.2_3/4", "1234"),
    ("\u{1D7CE}\u{1D7D9}", "01"),
    ("१२३", "123"),
    ("1\u{2212}2\u{2013}3\u{30A0}4", "1234"),
    ("\u{FEFF}1\u{200B}2\u{200D}3\u{AD}4\u{202E}5", "12345"),
    ("1\t2\u{A0}3\u{3000}4\u{2028}5\u{85}6", "123456"),
    ("", ""),
    (" - ", ""),
  ]) func `digits of any script count, and white space, dashes and format characters are dropped`(
    sent: String, read: String
  ) throws {
    var entry = Entry()
    let insertion = try entry.insert(sent)
    #expect(entry.text == read)
    #expect(insertion == Insertion(accepted: read.utf8.count, truncated: 0))
  }

  @Test(arguments: [
    ("²", 0), ("①", 0), ("一", 0), ("Ⅷ", 0), ("½", 0),
    ("1\u{301}", 1),
    ("1\u{FE0F}\u{20E3}", 1),
    ("12🔑", 2),
    ("🔑", 0),
    ("a", 0), ("Z", 0),
    ("12 3x", 4),
    ("1\u{0}", 1),
    ("\u{1F51F}", 0),
    ("１🙂２", 1),
    ("+1", 0), ("1,2", 1), ("#", 0), ("1:2", 1),
    ("123456789x", 9),
  ]) func `any other character refuses the whole text and says where`(sent: String, index: Int) throws {
    var entry = try Entry(typed: "12")
    let before = entry.session.state
    #expect(throws: EditError.invalidCharacter(index: index)) { try entry.insert(sent) }
    #expect(throws: EditError.invalidCharacter(index: index)) { try entry.set(sent) }
    #expect(entry.session.state == before)
    #expect(entry.text == "12")
    #expect(entry.told.isEmpty)
  }

  @Test func `an index counts scalars, neither bytes nor what looks like one character`() {
    var entry = Entry()
    #expect(throws: EditError.invalidCharacter(index: 3)) { try entry.insert("１\u{1D7D9}\u{200D}x") }
  }

  @Test func `the alphabet of digits and letters folds a to z only`() throws {
    var entry = Entry(EntryOptions(length: 8, alphabet: .alphanumeric))
    try entry.insert("aZ0-٣")
    #expect(entry.text == "AZ03")
    for (text, index) in [("ä", 0), ("ß", 0), ("ı", 0), ("\u{212A}", 0), ("Ａ", 0), ("ａ", 0), ("bé", 1), ("а", 0)] {
      #expect(throws: EditError.invalidCharacter(index: index)) { try entry.insert(text) }
    }
    #expect(entry.text == "AZ03")
  }

  @Test func `each scalar there is, is read by the properties that Unicode gives it`() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let expected = expectedReading(of: scalar)
      var entry = Entry()
      let accepted = (try? entry.insert(String(scalar)))?.accepted
      guard accepted == expected?.utf8.count, entry.text == expected ?? "" else {
        Issue.record("U+\(String(value, radix: 16)) was read as “\(entry.text)”, not \(expected ?? "refused")")
        return
      }
    }
  }

  /// What is left of a text of one scalar; nil: it is refused.
  private func expectedReading(of scalar: Unicode.Scalar) -> String? {
    let properties = scalar.properties
    if properties.generalCategory == .decimalNumber { return properties.numericValue.map { String(Int($0)) } }
    let isDropped =
      properties.isWhitespace || properties.isDash || properties.generalCategory == .format
      || "._/".unicodeScalars.contains(scalar)
    return isDropped ? "" : nil
  }
}
