import Testing
import WipingBuffer

@testable import PINService

private func written(_ write: (inout Bytes) -> Void) -> String {
  var out = Bytes()
  write(&out)
  return out.withBytes { String(decoding: $0, as: UTF8.self) }
}

struct JSONTextTests {
  @Test(arguments: [
    ("PIN", #""PIN""#), ("a\"b\\c", #""a\"b\\c""#), ("a\nb\u{1}\u{7F}", #""a\nb\u0001\u007f""#), ("Ré 🔒", #""Ré 🔒""#),
  ])
  func `a string is quoted and escaped`(text: String, json: String) {
    #expect(written { $0.appendJSON(text) } == json)
  }

  @Test(arguments: [
    (0.0, "0"), (50, "50"), (7.2, "7.2"), (0.125, "0.125"), (0.1 + 0.2, "0.3"), (4096, "4096"), (1e-7, "0"),
  ])
  func `a number has no more than thousandths and no exponent`(number: Double, json: String) {
    #expect(written { $0.appendJSON(number) } == json)
  }

  @Test(arguments: [
    (UInt32(0), "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
    (1_796_040_000, "2026-11-30T12:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
    (4_107_542_400, "2100-03-01T00:00:00Z"),
  ])
  func `a moment is written in UTC to the second`(seconds: UInt32, text: String) {
    #expect(written { $0.appendTimestamp(seconds) } == text)
  }
}
