import PINEntry
import WipingBuffer

/// The cells themselves, layout by layout.
extension Picture {
  func drawCells(into out: inout Bytes) {
    switch layout {
    case .boxes:
      openGroup(into: &out, fill: paint.cellColor, stroke: colored(paint.borderColor))
      drawRects(into: &out, 0..<length)
    case .grid:
      openGroup(into: &out, fill: "none", stroke: colored(paint.lineColor))
      drawRect(into: &out, x: 0, y: 0, width: Double(width), height: Double(height))
      drawDividers(into: &out, 0..<max(1, length) - 1)
    case .strip:
      openGroup(into: &out, fill: paint.cellColor, stroke: colored(paint.borderColor))
      drawRect(into: &out, x: row.left, y: row.top, width: row.width * Double(length), height: row.height)
      drawDividers(into: &out, 0..<length)
    case .code:
      out.append("<g>")
      let filled = verdict == .accepted ? paint.readyColor : paint.filledColor
      let empty = verdict == .rejected ? paint.errorColor : paint.emptyColor
      for cell in 0..<length { drawCell(into: &out, cell, fill: cell < count ? filled : empty) }
    case .underline:
      out.append("<g>")
      let line = min(paint.lineWidth, Double(height))
      for cell in 0..<length {
        drawRect(
          into: &out, x: row.x(cell), y: Double(height) - line, width: row.width, height: line,
          fill: colored(cell < count ? paint.filledColor : paint.lineColor))
      }
    case .rounded:
      out.append("<g fill=\"", color: paint.cellColor)
      out.append("\" stroke-width=\"", px: min(paint.lineWidth, Double(height)))
      out.append("\">")
      for cell in 0..<length {
        openRect(into: &out, x: row.x(cell), y: row.top, width: row.width, height: row.height)
        out.append("\" rx=\"", px: paint.cornerRadius)
        out.append("\" stroke=\"", color: colored(cell < count ? paint.filledColor : paint.borderColor))
        out.append("\"/>")
      }
    }
    out.append("</g>")
  }

  private func openGroup(into out: inout Bytes, fill: String, stroke: String) {
    out.append("<g fill=\"", color: fill)
    out.append("\" stroke=\"", color: stroke)
    out.append("\">")
  }

  private func drawRects(into out: inout Bytes, _ cells: Range<Int>) {
    for cell in cells {
      drawRect(into: &out, x: row.x(cell), y: row.top, width: row.width, height: row.height)
    }
  }

  private func drawCell(into out: inout Bytes, _ cell: Int, fill: String) {
    drawRect(into: &out, x: row.x(cell), y: row.top, width: row.width, height: row.height, fill: fill)
  }

  private func drawRect(
    into out: inout Bytes, x: Double, y: Double, width: Double, height: Double, fill: String? = nil
  ) {
    openRect(into: &out, x: x, y: y, width: width, height: height)
    if let fill { out.append("\" fill=\"", color: fill) }
    out.append("\"/>")
  }

  /// Leaves the last attribute open.
  private func openRect(into out: inout Bytes, x: Double, y: Double, width: Double, height: Double) {
    out.append("<rect x=\"", px: x)
    out.append("\" y=\"", px: y)
    out.append("\" width=\"", px: width)
    out.append("\" height=\"", px: height)
  }

  /// A line at the right end of each of these cells.
  private func drawDividers(into out: inout Bytes, _ cells: Range<Int>) {
    for cell in cells {
      drawLine(into: &out, x: row.x(cell + 1), from: row.top, to: row.top + row.height)
    }
  }

  private func drawLine(into out: inout Bytes, x: Double, from top: Double, to bottom: Double) {
    out.append("<line x1=\"", px: x)
    out.append("\" y1=\"", px: top)
    out.append("\" x2=\"", px: x)
    out.append("\" y2=\"", px: bottom)
    out.append("\"/>")
  }

  /// A short upright line in the next cell, while the entry is active.
  func drawCaret(into out: inout Bytes) {
    guard paint.caret, state.active, count < length else { return }
    out.append("<g stroke-width=\"2\" stroke=\"", color: layout == .code ? paint.filledColor : paint.dotColor)
    out.append("\">")
    drawLine(
      into: &out, x: row.centerX(count), from: row.centerY - row.height / 4, to: row.centerY + row.height / 4)
    out.append("</g>")
  }
}
