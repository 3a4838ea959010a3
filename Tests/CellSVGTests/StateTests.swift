import CellSVG
import PINEntry
import Testing

/// What a picture shows of a session besides the number of characters.
@Suite struct StateTests {
  @Test func `the title has the label and what is entered`() {
    #expect(picture("boxes", length: 4, count: 4, label: "Room 7").contains("<title>Room 7: 4 of 4 entered</title>"))
  }

  @Test(arguments: [
    ("<b>\"it's\" & co</b>", "&lt;b&gt;&quot;it&#39;s&quot; &amp; co&lt;/b&gt;"),
    ("]]>", "]]&gt;"),
    ("a\u{0}b\u{8}c\u{1B}d", "abcd"),
    ("a\tb\nc", "a\tb\nc"),
    ("\u{FFFE}a\u{FFFF}b\u{FFFD}c", "ab\u{FFFD}c"),
    ("\u{F8FF}\u{FFBE}\u{FFFB}\u{1FFFF}", "\u{F8FF}\u{FFBE}\u{FFFB}\u{1FFFF}"),
    ("Ключ 密码 🔑", "Ключ 密码 🔑"),
  ]) func `a label is escaped, and loses what XML can't hold`(label: String, written: String) {
    #expect(picture("boxes", label: label).contains("<title>\(written): 0 of 6 entered</title>"))
  }

  @Test func `a rejection shows by colours and in the title, never by another geometry`() {
    for style in styles.names {
      let svg = picture(style, status: .open, rejected: true, message: "Wrong <code>")
      #expect(svg.contains("<title>PIN: 0 of 6 entered. Wrong &lt;code&gt;</title>"))
      #expect(svg.contains("=\"\(color("errorColor", of: style))\""))
      #expect(geometry(svg) == geometry(picture(style)))
    }
    #expect(picture("boxes", rejected: true).contains("<title>PIN: 0 of 6 entered. Not accepted</title>"))
    #expect(picture("boxes", rejected: true).contains(##"<g fill="white" stroke="#d70015"><rect"##))
  }

  @Test func `an acceptance shows by colours and in the title`() {
    for style in styles.names {
      let svg = picture(style, count: 6, status: .accepted)
      #expect(svg.contains("<title>PIN: 6 of 6 entered. Accepted</title>"))
      let option = style.hasPrefix("code") ? "readyColor" : "acceptedColor"
      #expect(svg.contains("=\"\(color(option, of: style))\""))
      #expect(geometry(svg) == geometry(picture(style, count: 6)))
    }
  }

  @Test func `a rejection shakes, and shakes anew after another one`() {
    let first = picture("boxes", rejected: true, attempts: 1)
    let second = picture("boxes", rejected: true, attempts: 2)
    #expect(first.contains("<style>\(Picture.styleSheet)</style>"))
    #expect(first.contains(#"<g class="pinpad-shake-1">"#))
    #expect(second.contains(#"<g class="pinpad-shake-0">"#))
    #expect(Picture.styleSheet.description.hasPrefix("@media(prefers-reduced-motion:no-preference){"))
    for shake in ["pinpad-shake-0", "pinpad-shake-1"] {
      #expect(Picture.styleSheet.description.contains(".\(shake){animation:\(shake) "))
      #expect(Picture.styleSheet.description.contains("@keyframes \(shake){"))
    }
    #expect(!picture("boxes", attempts: 1).contains("pinpad-shake"))
  }

  @Test func `the caret marks the next cell while the entry is active`() {
    let caret = #"<g stroke-width="2" stroke="black"><line x1="99" y1="17.5" x2="99" y2="42.5"/></g>"#
    #expect(picture("boxes", [("caret", "true")], count: 1, active: true).contains(caret))
    #expect(!picture("boxes", [("caret", "true")], count: 1).contains("<line"))
    #expect(!picture("boxes", [("caret", "true")], count: 6, active: true).contains("<line"))
    #expect(!picture("boxes", count: 1, active: true).contains("<line"))
    #expect(
      picture("code", [("caret", "true")], active: true)
        .contains(##"<g stroke-width="2" stroke="#2fc312"><line x1="26.25" y1="9.5" x2="26.25" y2="28.5"/></g>"##))
  }

  private func color(_ option: String, of style: String) -> String {
    guard let value = styles[style]?.options.first(where: { $0.name == option })?.value, case .color(let color) = value
    else { return "no \(option)" }
    return color
  }

  /// A picture without its colours, title and motion.
  private func geometry(_ svg: String) -> String {
    svg.replacing(#/ (fill|stroke|class)="[^"]*"/#, with: "").replacing(
      #/<(title|style)>[^<]*</(title|style)>/#, with: "")
  }
}
