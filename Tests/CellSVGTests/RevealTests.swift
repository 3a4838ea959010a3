import PINEntry
import Testing

@testable import CellSVG

@Suite struct RevealTests {
  @Test func `revealed characters are strokes in the middle of their cells`() {
    // Half of 38 px over 14 units.
    let svg = picture("code", length: 2, reveal: true, text: "71")
    #expect(
      svg.contains(
        #"<g fill="none" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.6" stroke="white">"#
          + #"<path transform="translate(27.75 19) scale(1.357)" aria-label="7" d="M-4-7H4L-1.5 7 "#))
    #expect(svg.contains(#"<path transform="translate(92.25 19) scale(1.357)" aria-label="1" d="M-3-4L0-7V7M-3 7H3 "#))
  }

  @Test func `a narrow cell makes its character smaller`() {
    // 60 % of (60 - 9) / 2 px over 11 units.
    #expect(picture("code", length: 2, width: 60, reveal: true, text: "7").contains("scale(1.391)") == false)
    #expect(picture("code", length: 2, width: 42, reveal: true, text: "7").contains("scale(0.9)"))
  }

  @Test func `masked, or closed, nothing of a character is drawn`() {
    for style in styles.names {
      #expect(picture(style, text: "012345") == picture(style, text: "999999"))
      #expect(picture(style, text: "012345") == picture(style, count: 6))
      for status in Status.allCases where status != .open {
        #expect(
          picture(style, status: status, reveal: true, text: "012345") == picture(style, count: 6, status: status))
      }
    }
    #expect(!picture("code", text: "012345").contains("<path"))
    #expect(picture("boxes", status: .redeemed, reveal: true, text: "012345").contains("<circle"))
  }

  @Test func `whichever characters are revealed, a picture has the same size`() {
    for style in styles.names {
      let zeros = picture(style, reveal: true, text: "000000")
      for text in ["888888", "111111", "QQQQQQ", "LLLLLL", "6A9Z01"] {
        #expect(picture(style, reveal: true, text: text).utf8.count == zeros.utf8.count)
      }
      #expect(!zeros.contains("<circle"))
      #expect(zeros.contains(#"aria-label="0""#))
    }
  }

  @Test func `cells whose characters were not given stay masked`() {
    let svg = picture("boxes", count: 2, reveal: true)
    #expect(svg.contains(#"<circle cx="45""#))
    #expect(svg.contains(#"<circle cx="99""#))
  }

  @Test func `what has no glyph gets into no markup`() {
    #expect(picture("boxes", reveal: true, text: "\"<").contains(#"aria-label=" " d="   "#))
  }

  @Test func `every glyph fits into the room that all of them take`() {
    for character in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8 {
      let size = Glyph.data(of: character).utf8CodeUnitCount
      #expect((1...Glyph.dataSize).contains(size), "\(Unicode.Scalar(character)) takes \(size)")
    }
  }
}
