/// Where the cells of a picture are, in px: equal cells, side by side, from left to right.
struct Row {
  let left: Double
  let top: Double
  /// Of one cell.
  let width: Double
  let height: Double
  /// From the end of a cell to the beginning of the next one, within a group; may be negative, then cells overlap.
  let gap: Double
  /// What is added to the gap between two groups.
  var groupGap = 0.0
  /// Bit i is set if cell i begins a group and is not the first.
  var groupStarts: UInt64 = 0
  let dotRadius: Double

  /// The left edge of a cell.
  func x(_ cell: Int) -> Double {
    let groups = (groupStarts & (1 << UInt64(cell + 1) &- 1)).nonzeroBitCount
    return left + Double(cell) * (width + gap) + Double(groups) * groupGap
  }

  func centerX(_ cell: Int) -> Double { x(cell) + width / 2 }
  var centerY: Double { top + height / 2 }

  /// How much a glyph is enlarged: half as high as its cell, and never too wide for it.
  var glyphScale: Double { max(0, min(height * 0.5 / Glyph.height, width * 0.6 / Glyph.width)) }

  /// - Parameters:
  ///   - width, height: of the picture.
  ///   - length: number of cells, at least 1.
  init(_ layout: Layout, _ paint: Paint, width: Double, height: Double, length: Int) {
    let n = Double(length)
    switch layout {
    case .boxes:
      let side = min(max(min(height, paint.cellSize), paint.dotRadius * 4), height)
      // With one cell the outer margins share the rest evenly, whatever they are; the formula would divide by 0.
      let gap = length > 1 ? (width - n * side) / (n - 1 + paint.edgeSpacing * 2) : 0
      left = length > 1 ? gap * paint.edgeSpacing : (width - side) / 2
      top = (height - side) / 2
      self.width = side
      self.height = side
      self.gap = gap
      dotRadius = min(paint.dotRadius, side * 0.5) * 0.8
    case .grid:
      left = 0
      top = 0
      self.width = width / n
      self.height = height
      gap = 0
      dotRadius = width / n * 0.15
    case .strip:
      left = (width - paint.cellSize * n) / 2
      top = (height - paint.cellSize) / 2
      self.width = paint.cellSize
      self.height = paint.cellSize
      gap = 0
      dotRadius = paint.dotRadius
    case .code:
      left = 0
      top = 0
      self.width = max(0, (width - paint.spacing * (n - 1)) / n)
      self.height = height
      gap = paint.spacing
      dotRadius = 0
    case .underline, .rounded:
      let boundaries = Double(max(0, paint.groups.count - 1))
      let gaps = paint.spacing * (n - 1 - boundaries) + paint.groupSpacing * boundaries
      // The cells of `underline` end above their lines; half the border of `rounded` is outside of its cell.
      let line = min(paint.lineWidth, height)
      let border = layout == .rounded ? line : 0
      left = border / 2
      top = border / 2
      self.width = max(0, (width - gaps) / n - border)
      self.height = height - line
      gap = paint.spacing + border
      groupGap = paint.groupSpacing - paint.spacing
      dotRadius = min(paint.dotRadius, self.width / 2, self.height / 2)
      var start = 0
      for group in paint.groups.dropLast() {
        start += group
        groupStarts |= 1 << UInt64(start)
      }
    }
  }
}
