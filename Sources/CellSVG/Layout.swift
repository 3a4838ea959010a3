/// How the cells of a style are laid out; the formulas are each layout's own. The raw value is its name in a style's
/// file.
package enum Layout: String, Sendable, CaseIterable {
  /// Separate squares.
  case boxes
  /// One frame over the whole picture, divided by lines.
  case grid
  /// One centred frame of squares.
  case strip
  /// Cells without a stroke that are filled as the entry goes on.
  case code
  /// A line under each cell.
  case underline
  /// Cells with rounded corners.
  case rounded

  /// The options of a style of this layout, in the order in which they are shown.
  var options: [OptionName] {
    let own: [OptionName] =
      switch self {
      case .boxes: [.cellSize, .dotRadius, .edgeSpacing, .dotColor, .borderColor, .cellColor]
      case .grid: [.lineColor, .dotColor]
      case .strip: [.cellSize, .dotRadius, .borderColor, .dotColor, .cellColor]
      case .code: [.spacing, .cellHeight, .emptyColor, .filledColor, .readyColor, .textColor]
      case .underline:
        [.spacing, .groups, .groupSpacing, .lineWidth, .dotRadius, .dotColor, .lineColor, .filledColor]
      case .rounded:
        [
          .spacing, .groups, .groupSpacing, .cornerRadius, .lineWidth, .dotRadius, .dotColor, .borderColor,
          .filledColor, .cellColor,
        ]
      }
    // In `code` an acceptance has the colour of the button that is ready.
    let verdict: [OptionName] = self == .code ? [.errorColor] : [.errorColor, .acceptedColor]
    return own + [.backgroundColor] + verdict + [.caret]
  }
}
