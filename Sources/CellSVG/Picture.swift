package import PINEntry
package import WipingBuffer

/// A row of cells as an SVG document: a session's state in a style.
///
/// The document is complete in itself: no script, nothing fetched, no fonts. What it shows of the text are the number
/// of characters and, only if asked to reveal them, the characters that `draw` is given; its size and structure never
/// depend on which they are.
package struct Picture {
  let label: String
  let message: String
  let state: SessionState
  let layout: Layout
  let paint: Paint
  let row: Row
  let width: Int
  let height: Int
  let length: Int
  let count: Int
  let reveal: Bool

  /// - Parameters:
  ///   - choice: made by `definition`.
  ///   - label: the accessible name; anything.
  ///   - message: of the rejection, if `state` says that there was one; anything.
  ///   - reveal: whether characters are drawn, as long as the session is open.
  ///   - width, height: in px, 1…4096.
  package init(
    _ choice: StyleChoice, of definition: StyleDefinition, label: String, state: SessionState, message: String = "",
    reveal: Bool, width: Int, height: Int
  ) {
    self.label = label
    self.message = message
    self.state = state
    self.reveal = reveal && state.status == .open
    self.width = width
    self.height = height
    layout = definition.layout
    length = Int(state.length)
    count = Int(min(state.count, state.length))
    paint = Paint(choice, definition)
    row = Row(layout, paint, width: Double(width), height: Double(height), length: max(1, length))
  }

  /// The whole content of the `style` element that some pictures have: its hash is all that a Content-Security-Policy
  /// has to allow.
  ///
  /// The shake of a rejection, for those who don't mind motion. There are two of it, which take turns, so that
  /// a rejection that follows another one in the same document starts anew.
  package static let styleSheet: StaticString = """
    @media(prefers-reduced-motion:no-preference){\
    .pinpad-shake-0{animation:pinpad-shake-0 .4s}\
    .pinpad-shake-1{animation:pinpad-shake-1 .4s}\
    @keyframes pinpad-shake-0{20%,60%{transform:translateX(-6px)}40%,80%{transform:translateX(6px)}}\
    @keyframes pinpad-shake-1{20%,60%{transform:translateX(-6px)}40%,80%{transform:translateX(6px)}}\
    }
    """

  /// Writes the document.
  ///
  /// - Parameter characters: gives each character in, in ASCII, to the function that it is called with; is called only
  ///   by a picture that reveals, and may give fewer than are in.
  package func draw(into out: inout Bytes, characters: ((UInt8) -> Void) -> Void = { _ in }) {
    out.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"")
    out.append(decimal: width)
    out.append("\" height=\"")
    out.append(decimal: height)
    out.append("\" viewBox=\"0 0 ")
    out.append(decimal: width)
    out.append(byte: UInt8(ascii: " "))
    out.append(decimal: height)
    out.append("\" role=\"img\">")
    drawTitle(into: &out)
    if state.rejected {
      out.append("<style>")
      out.append(Self.styleSheet)
      out.append("</style>")
    }
    if !CSSColor.isTransparent(paint.backgroundColor) {
      out.append("<rect width=\"")
      out.append(decimal: width)
      out.append("\" height=\"")
      out.append(decimal: height)
      out.append("\" fill=\"", color: paint.backgroundColor)
      out.append("\"/>")
    }
    if state.rejected {
      out.append(state.attempts.isMultiple(of: 2) ? "<g class=\"pinpad-shake-0\">" : "<g class=\"pinpad-shake-1\">")
    } else {
      out.append("<g>")
    }
    drawCells(into: &out)
    drawCaret(into: &out)
    drawMarks(into: &out, characters)
    out.append("</g></svg>\n")
  }

  private func drawTitle(into out: inout Bytes) {
    out.append("<title>")
    out.append(escaping: label)
    out.append(": ")
    out.append(decimal: count)
    out.append(" of ")
    out.append(decimal: length)
    out.append(" entered")
    switch verdict {
    case .none: break
    case .accepted: out.append(". Accepted")
    case .rejected:
      out.append(". ")
      if message.isEmpty { out.append("Not accepted") } else { out.append(escaping: message) }
    }
    out.append("</title>")
  }

  /// What the owner has said of the text, as far as the picture shows it.
  enum Verdict {
    case none, rejected, accepted
  }

  var verdict: Verdict {
    if state.rejected { return .rejected }
    return state.status == .accepted ? .accepted : .none
  }

  /// This colour, unless a verdict asks for its own.
  func colored(_ color: String) -> String {
    switch verdict {
    case .none: color
    case .rejected: paint.errorColor
    case .accepted: paint.acceptedColor
    }
  }
}
