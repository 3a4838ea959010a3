/// What a session shows and carries without any effect on its edits. Never changed once made: a change of options
/// makes a new one, so that many sessions can share one.
package final class Presentation: Equatable, Sendable {
  /// The accessible name, 1…200 characters.
  package let label: String
  package let style: StyleChoice
  /// The owner's own strings, in the order given.
  package let metadata: [Metadatum]
  /// Whom the text is sealed to when it is complete; nil: it is not sealed.
  package let sealTo: PublicKey?

  package static let defaultLabel = "PIN"

  package init(label: String, style: StyleChoice, metadata: [Metadatum] = [], sealTo: PublicKey? = nil) {
    self.label = label
    self.style = style
    self.metadata = metadata
    self.sealTo = sealTo
  }

  package static func == (a: Presentation, b: Presentation) -> Bool {
    a === b || a.label == b.label && a.style == b.style && a.metadata == b.metadata && a.sealTo == b.sealTo
  }
}

/// One pair of a session's metadata.
package struct Metadatum: Equatable, Sendable {
  package let key: String
  package let value: String

  package init(key: String, value: String) {
    self.key = key
    self.value = value
  }
}

/// A style by name with all of its options' values, in the order of the style's definition.
package struct StyleChoice: Equatable, Sendable {
  package let name: String
  package let options: [StyleOption]

  package init(name: String, options: [StyleOption]) {
    self.name = name
    self.options = options
  }
}

/// One option of a style and its value.
package struct StyleOption: Equatable, Sendable {
  package let name: String
  package let value: StyleValue

  package init(name: String, value: StyleValue) {
    self.name = name
    self.value = value
  }
}

/// What an option of a style may be.
package enum StyleValue: Equatable, Sendable {
  /// In px, or a multiple, 0…4096.
  case number(Double)
  /// `#rgb`, `#rrggbb` or a CSS colour name, as it was given.
  case color(String)
  case flag(Bool)
  /// Cells per group; their sum is the length. Empty: no groups.
  case groups([Int])
}
