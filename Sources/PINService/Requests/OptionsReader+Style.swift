import CellSVG
import PINEntry
import SessionStore

extension OptionsReader {
  /// A style and the options that a client chose for it.
  struct Style {
    let definition: StyleDefinition
    let choice: StyleChoice
  }

  /// Reads `style`: a name, or an object that may have one. Another name starts from that style's own options.
  mutating func readStyle(_ value: JSONValue?, length: Int) -> Style {
    let standard = styles.standard
    let present = base.flatMap { base in
      styles.definition(of: base.presentation.style).map { Style(definition: $0, choice: base.presentation.style) }
    }
    guard let value, !restoresDefault(value) else {
      // Without a word about the style its options still have to fit the length.
      return finish(value == nil ? present ?? standard : standard, [], length)
    }
    switch value.kind {
    case .string: return finish(named(value, "/style") ?? standard, [], length)
    case .object: return readObject(value, present ?? standard, length)
    case .array, .integer, .real, .boolean, .null:
      fail("/style", "is not a string or an object")
      return standard
    }
  }

  private mutating func readObject(_ object: JSONValue, _ present: Style, _ length: Int) -> Style {
    var style = present
    // A style that a reload took away stays with who names it as it is.
    if let name = object["name"], base == nil || name.string != present.definition.name {
      let chosen = restoresDefault(name) ? styles.standard : named(name, "/style/name")
      if let chosen, chosen.definition.name != present.definition.name { style = chosen }
    }
    let given = object.members.filter { $0.name != "name" }.map { GivenOption($0.name, GivenValue($0.value)) }
    return finish(style, base == nil ? given.map(Self.withoutDefault) : given, length)
  }

  /// In a creation null is a wrong value.
  private static func withoutDefault(_ option: GivenOption) -> GivenOption {
    option.value == .null ? GivenOption(option.name, .other) : option
  }

  private mutating func named(_ value: JSONValue, _ pointer: String) -> Style? {
    guard let name = value.string, let definition = styles[name] else {
      fail(pointer, "is not one of " + styles.names.map { "\"\($0)\"" }.joined(separator: ", "))
      return nil
    }
    return Style(definition: definition, choice: definition.defaultChoice)
  }

  private mutating func finish(_ style: Style, _ given: [GivenOption], _ length: Int) -> Style {
    let (choice, mistakes) = style.definition.choice(given, over: style.choice, length: length)
    for mistake in mistakes { fail("/style/" + JSONPointer.escaped(mistake.option), mistake.detail) }
    return Style(definition: style.definition, choice: choice)
  }
}

extension StyleCatalog {
  /// The style of a session that names none; every catalogue has it, as it is part of the program.
  var standard: OptionsReader.Style {
    guard let boxes = self["boxes"] else { preconditionFailure("the style boxes is part of the program") }
    return OptionsReader.Style(definition: boxes, choice: boxes.defaultChoice)
  }
}

extension GivenValue {
  init(_ value: JSONValue) {
    switch value.kind {
    case .null: self = .null
    case .integer, .real: self = .number(value.number ?? .nan)
    case .string: self = .text(value.string ?? "")
    case .boolean: self = .flag(value.bool ?? false)
    case .array:
      // Lists are of whole numbers only, and those have no fraction.
      let numbers = value.elements.map(\.integer)
      self = numbers.contains(nil) ? .other : .numbers(numbers.compactMap { $0.map(Double.init) })
    case .object: self = .other
    }
  }
}
