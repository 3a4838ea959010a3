/// Every option that some style has, by its name in JSON and in a query.
enum OptionName: String, Sendable, CaseIterable {
  /// Side of a square cell, in px.
  case cellSize
  /// In px.
  case dotRadius
  /// The outer margin, as a multiple of the gap between cells.
  case edgeSpacing
  /// Between two cells, in px.
  case spacing
  /// Cells per group; their sum is the length. Empty: no groups.
  case groups
  /// Between two groups, in px, instead of `spacing`.
  case groupSpacing
  /// In px.
  case cornerRadius
  /// Of a cell's line or border, in px.
  case lineWidth
  /// The height that a picture has by default, in px.
  case cellHeight
  /// Of a dot, and of a character shown in its place.
  case dotColor
  case borderColor
  case cellColor
  case lineColor
  /// Of a cell without a character.
  case emptyColor
  /// Of a cell, or of its line or border, with a character.
  case filledColor
  /// Of the button that goes on, once the entry is complete and has ended; the picture shows an acceptance in it.
  case readyColor
  /// Of the characters shown.
  case textColor
  case backgroundColor
  /// What shows a rejection.
  case errorColor
  /// What shows an acceptance.
  case acceptedColor
  /// Whether the next cell is marked while the entry is active.
  case caret

  var kind: OptionKind {
    switch self {
    case .cellSize, .dotRadius, .edgeSpacing, .spacing, .groupSpacing, .cornerRadius, .lineWidth, .cellHeight: .number
    case .groups: .groups
    case .dotColor, .borderColor, .cellColor, .lineColor, .emptyColor, .filledColor, .readyColor, .textColor,
      .backgroundColor, .errorColor, .acceptedColor:
      .color
    case .caret: .flag
    }
  }
}

/// What the value of an option is.
enum OptionKind: Sendable {
  case number, color, flag, groups
}
