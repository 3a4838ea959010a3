import PINEntry

/// The options of a style as plain members, looked up once for a picture. Those that its style doesn't have are not
/// asked for.
struct Paint {
  var cellSize = 0.0
  var dotRadius = 0.0
  var edgeSpacing = 0.0
  var spacing = 0.0
  var groupSpacing = 0.0
  var cornerRadius = 0.0
  var lineWidth = 1.0
  var groups: [Int] = []
  var dotColor = ""
  var borderColor = ""
  var cellColor = ""
  var lineColor = ""
  var emptyColor = ""
  var filledColor = ""
  var readyColor = ""
  var textColor = ""
  var backgroundColor = ""
  var errorColor = ""
  var acceptedColor = ""
  var caret = false

  /// - Parameter choice: made by `definition`, so that the options are in its order.
  init(_ choice: StyleChoice, _ definition: StyleDefinition) {
    for (name, option) in zip(definition.optionNames, choice.options) {
      switch option.value {
      case .number(let number): set(name, number)
      case .color(let color): set(name, color)
      case .flag(let flag): caret = flag
      case .groups(let groups): self.groups = groups
      }
    }
  }

  private mutating func set(_ name: OptionName, _ number: Double) {
    switch name {
    case .cellSize: cellSize = number
    case .dotRadius: dotRadius = number
    case .edgeSpacing: edgeSpacing = number
    case .spacing: spacing = number
    case .groupSpacing: groupSpacing = number
    case .cornerRadius: cornerRadius = number
    case .lineWidth: lineWidth = number
    // The height is the picture's by now; the rest are no numbers.
    case .cellHeight, .groups, .dotColor, .borderColor, .cellColor, .lineColor, .emptyColor, .filledColor, .readyColor,
      .textColor, .backgroundColor, .errorColor, .acceptedColor, .caret:
      break
    }
  }

  private mutating func set(_ name: OptionName, _ color: String) {
    switch name {
    case .dotColor: dotColor = color
    case .borderColor: borderColor = color
    case .cellColor: cellColor = color
    case .lineColor: lineColor = color
    case .emptyColor: emptyColor = color
    case .filledColor: filledColor = color
    case .readyColor: readyColor = color
    case .textColor: textColor = color
    case .backgroundColor: backgroundColor = color
    case .errorColor: errorColor = color
    case .acceptedColor: acceptedColor = color
    case .cellSize, .dotRadius, .edgeSpacing, .spacing, .groups, .groupSpacing, .cornerRadius, .lineWidth, .cellHeight,
      .caret:
      break
    }
  }
}
