import Testing

@testable import PINService

private func query(_ text: String) -> Query {
  Array(text.utf8).withUnsafeBytes { Query($0) }
}

struct QueryTests {
  @Test func `values are decoded as forms are`() {
    var parsed = query("sessions=a%2Cb&label=My+PIN%21&flag&empty=&broken=%zz")
    #expect(parsed.text("sessions") == "a,b")
    #expect(parsed.text("label") == "My PIN!")
    #expect(parsed.text("flag") == "")
    #expect(parsed.text("empty") == "")
    #expect(parsed.text("broken") == "%zz")
    #expect(parsed.text("absent") == nil)
    #expect(parsed.errors.isEmpty)
  }

  @Test(arguments: [
    "width=0", "width=4097", "width=-1", "width=6.0", "width=", "width=99999999999999999999", "width=a",
  ])
  func `a number out of range is named`(text: String) {
    var parsed = query(text)
    #expect(parsed.integer("width", in: 1...4096) == nil)
    #expect(parsed.errors == [FieldError(.parameter("width"), "is not a whole number from 1 to 4096")])
  }

  @Test func `a parameter given twice is wrong`() {
    var parsed = query("after=1&after=2")
    _ = parsed.bytes("after")
    #expect(parsed.errors == [FieldError(.parameter("after"), "is there 2 times")])
  }

  @Test(arguments: [("0", Int64(0)), ("50", 50_000), ("0.25", 250)])
  func `seconds may have a fraction`(text: String, milliseconds: Int64) {
    var parsed = query("wait=" + text)
    #expect(parsed.seconds("wait", upTo: 50) == milliseconds)
  }

  @Test(arguments: ["51", "-1", "nan", "inf", "1e3", "0x10", "", "1.2.3", "50.001"])
  func `seconds out of range are named`(text: String) {
    var parsed = query("wait=" + text)
    #expect(parsed.seconds("wait", upTo: 50) == nil)
    #expect(parsed.errors.count == 1)
  }
}
