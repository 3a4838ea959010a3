import Testing
import WipingBuffer

@testable import PINService

@Suite struct JSONTests {
  private func parse(_ text: String) throws(JSONError) -> JSONDocument { try parse(Array(text.utf8)) }

  private func parse(_ text: [UInt8]) throws(JSONError) -> JSONDocument {
    var bytes = Bytes()
    text.withUnsafeBytes { bytes.append($0) }
    return try bytes.withBytes { bytes throws(JSONError) in try JSONDocument(bytes) }
  }

  private func error(of text: String) -> JSONError? { error(of: Array(text.utf8)) }

  private func error(of bytes: [UInt8]) -> JSONError? {
    do throws(JSONError) {
      _ = try parse(bytes)
      return nil
    } catch {
      return error
    }
  }

  private func detail(of text: String) -> String? {
    guard case .malformed(let detail)? = error(of: text) else { return nil }
    return detail
  }

  @Test func `a text is read in place`() throws {
    let document = try parse(#"{"text":"7"}"#)
    #expect(document.root.kind == .object)
    #expect(document.root["text"]?.kind == .string)
    #expect(document.root["text"]?.utf8.map { Array($0) } == [0x37])
    #expect(document.root["text"]?.string == "7")
    #expect(document.root["at"] == nil)
  }

  @Test func `members come in the order of the text`() throws {
    let document = try parse(#"{"z":1,"a":2,"m":3,"é":4,"b":5,"":6}"#)
    #expect(document.root.members.map(\.name) == ["z", "a", "m", "é", "b", ""])
    #expect(document.root.members.map(\.value.integer) == [1, 2, 3, 4, 5, 6])
  }

  @Test func `elements come in the order of the text`() throws {
    let document = try parse("[3, 3, 2]")
    #expect(document.root.elements.map(\.integer) == [3, 3, 2])
    #expect(try parse("{}").root.elements.isEmpty)
  }

  @Test func `each kind is told apart`() throws {
    let document = try parse(#"[{}, [], "", 0, 0.0, true, false, null]"#)
    #expect(
      document.root.elements.map(\.kind) == [.object, .array, .string, .integer, .real, .boolean, .boolean, .null])
    #expect(document.root.elements.map(\.bool) == [nil, nil, nil, nil, nil, true, false, nil])
  }

  @Test func `an integer has no fraction and no exponent`() throws {
    let document = try parse("[6, 6.0, 6e0, -1, 6.5, 9223372036854775807]")
    #expect(document.root.elements.map(\.integer) == [6, nil, nil, -1, nil, .max])
    #expect(document.root.elements.prefix(5).map(\.number) == [6, 6, 6, -1, 6.5])
  }

  @Test func `a value that is no object has no members`() throws {
    #expect(try parse("[1]").root["text"] == nil)
    #expect(try parse(#""text""#).root.members.map(\.name) == [])
  }

  @Test func `U+0000 is kept in a string`() throws {
    let document = try parse(#"{"text":"1\u00002"}"#)
    #expect(document.root["text"]?.utf8.map { Array($0) } == [0x31, 0, 0x32])
  }

  @Test func `escapes are the characters they mean`() throws {
    #expect(try parse(#""\u0663\ud83d\ude00""#).root.string == "٣😀")
  }

  @Test(arguments: ["", " ", "{", "}", "nul", "{a:1}", "{'a':1}", "[1,]", "01", #""\ud800""#, #"{"a\u0000":1}"#])
  func `what is not JSON is malformed`(_ text: String) {
    guard case .malformed = error(of: text) else {
      Issue.record("\(text) is read")
      return
    }
  }

  @Test func `a member twice is malformed`() {
    #expect(detail(of: #"{"a":1,"a":1}"#)?.hasSuffix("a member is there twice, at byte 10.") == true)
  }

  @Test func `something after the value is malformed`() {
    #expect(detail(of: "{\n \"a\": 1,\n b\n}")?.hasSuffix("it is not JSON, at byte 13, in line 3.") == true)
    #expect(detail(of: "{} 1")?.hasSuffix("something comes after it, at byte 4.") == true)
    #expect(error(of: "{}\r\n\t ") == nil)
  }

  @Test func `what is not UTF-8 is malformed`() {
    for bytes: [UInt8] in [[0xFF], [0xC0, 0xB1], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] {
      guard case .malformed = error(of: [0x22] + bytes + [0x22]) else {
        Issue.record("\(bytes) is read")
        return
      }
    }
  }

  @Test func `a number too large is told from a mistake in the grammar`() {
    #expect(error(of: #"{"length":1e400}"#) == .numberOutOfRange)
  }

  @Test func `an integer beyond 64 bits is a number, and the others are integers still`() throws {
    let document = try parse(#"{"length":123456789012345678901234567890,"at":6}"#)
    #expect(document.root["length"]?.integer == nil)
    #expect(document.root["length"]?.number == 1.2345678901234568e29)
    #expect(document.root["at"]?.integer == 6)
  }

  @Test func `a deeply nested text is malformed`() {
    guard case .malformed = error(of: String(repeating: "[", count: 16_000)) else {
      Issue.record("it is read")
      return
    }
  }

  @Test func `an error never repeats the text`() {
    for text in [#"{"text":"4711"4711"#, #"{"4711":1,"4711":2}"#, "4711 4711", #""4711"#] {
      guard case .malformed(let detail) = error(of: text) else {
        Issue.record("\(text) is read")
        return
      }
      #expect(!detail.contains("4711"))
    }
  }
}
