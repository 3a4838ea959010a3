import WipingBuffer

/// What is in the cells: dots or characters.
extension Picture {
  func drawMarks(into out: inout Bytes, _ characters: ((UInt8) -> Void) -> Void) {
    var shown = 0
    if reveal && count > 0 {
      openGlyphs(into: &out)
      characters { character in
        guard shown < count else { return }
        drawGlyph(into: &out, shown, character)
        shown += 1
      }
      out.append("</g>")
    }
    // The cells of `code` are filled themselves.
    guard layout != .code, shown < count else { return }
    out.append("<g fill=\"", color: paint.dotColor)
    out.append("\">")
    for cell in shown..<count {
      out.append("<circle cx=\"", px: row.centerX(cell))
      out.append("\" cy=\"", px: row.centerY)
      out.append("\" r=\"", px: row.dotRadius)
      out.append("\"/>")
    }
    out.append("</g>")
  }

  private func openGlyphs(into out: inout Bytes) {
    out.append("<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" stroke-width=\"", px: Glyph.stroke)
    out.append("\" stroke=\"", color: layout == .code ? paint.textColor : paint.dotColor)
    out.append("\">")
  }

  private func drawGlyph(into out: inout Bytes, _ cell: Int, _ character: UInt8) {
    let data = Glyph.data(of: character)
    out.append("<path transform=\"translate(", px: row.centerX(cell))
    out.append(" ", px: row.centerY)
    out.append(") scale(", px: row.glyphScale)
    out.append(")\" aria-label=\"")
    // Nothing but what has a glyph goes into the markup.
    out.append(byte: data.utf8CodeUnitCount > 0 ? character : UInt8(ascii: " "))
    out.append("\" d=\"")
    out.append(data)
    for _ in 0..<max(0, Glyph.dataSize - data.utf8CodeUnitCount) { out.append(byte: UInt8(ascii: " ")) }
    out.append("\"/>")
  }
}
