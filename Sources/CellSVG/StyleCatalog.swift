package import PINEntry

/// The styles there are, by name. Each comes from a file `NAME.json`:
///
///     {
///       "layout": "boxes",          one of `Layout`
///       "reveal": false,            optional: what a session of this style does by default
///       "endsOnComplete": false,    optional, likewise
///       "options": {                the defaults of the layout's options
///         "cellSize": 50,           numbers 0…4096
///         "dotColor": "black",      colours: #rgb, #rrggbb or a CSS name
///         "caret": false,
///         "groups": []              cells per group; [] in a file, since only a session knows its length
///       }
///     }
///
/// What a file leaves out is as in the style that is named like its layout, so that a variant need only say what is
/// different.
package struct StyleCatalog: Sendable {
  private var definitions: [String: StyleDefinition] = [:]
  /// Those that a session may still have although their names are gone or mean another layout; one for each layout.
  private var retired: [String: [StyleDefinition]] = [:]

  package init() {}

  /// The style of this name.
  package subscript(name: String) -> StyleDefinition? { definitions[name] }

  /// The style that a choice was made of, which may have been taken away since; nil if it was never there.
  package func definition(of choice: StyleChoice) -> StyleDefinition? {
    let present = definitions[choice.name]
    // The usual case, without looking at each option.
    if retired.isEmpty { return present }
    if let present, present.made(choice) { return present }
    return retired[choice.name]?.first { $0.made(choice) }
  }

  /// Keeps the styles of the catalogue that this one takes the place of, for the sessions that have them. New sessions
  /// can't.
  package mutating func keep(_ old: StyleCatalog) {
    retired = old.retired
    for definition in old.definitions.values where definitions[definition.name]?.layout != definition.layout {
      let others = retired[definition.name, default: []].filter { $0.layout != definition.layout }
      retired[definition.name] = others + [definition]
    }
  }

  /// All names, sorted.
  package var names: [String] { definitions.keys.sorted() }

  /// Adds styles; one that is already there is replaced.
  ///
  /// - Returns: all that is wrong with the files; those with a mistake are not added.
  package mutating func add(_ files: [StyleFile]) -> [StyleFileMistake] {
    var mistakes: [StyleFileMistake] = []
    // A style that is named like a layout is what the others of that layout start from.
    for file in files where Layout(rawValue: file.name) != nil { mistakes += add(file) }
    for file in files where Layout(rawValue: file.name) == nil { mistakes += add(file) }
    return mistakes
  }

  private mutating func add(_ file: StyleFile) -> [StyleFileMistake] {
    guard let layout = Layout(rawValue: file.layout) else {
      let layouts = Layout.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      return [StyleFileMistake(style: file.name, member: "layout", detail: "is not one of \(layouts)")]
    }
    let base = definitions[layout.rawValue].flatMap { $0.layout == layout ? $0 : nil }
    let names = layout.options
    var values = base?.values.map { Optional($0) } ?? names.map { _ in nil }
    var mistakes: [StyleFileMistake] = []
    func fail(_ option: String, _ detail: String) {
      mistakes.append(StyleFileMistake(style: file.name, member: "options/\(option)", detail: detail))
    }
    for option in file.options {
      guard let place = names.firstIndex(where: { $0.rawValue == option.name }), place < values.count else {
        fail(option.name, "is not an option of the layout \"\(layout.rawValue)\"")
        continue
      }
      values[place] = names[place].kind.read(option.value)
      if values[place] == nil { fail(option.name, names[place].kind.complaint(length: nil)) }
    }
    for (name, value) in zip(names, values)
    where value == nil && !file.options.contains(where: { $0.name == name.rawValue }) {
      fail(name.rawValue, "is missing")
    }
    guard mistakes.isEmpty else { return mistakes }
    definitions[file.name] = StyleDefinition(
      name: file.name, layout: layout, reveal: file.reveal ?? base?.reveal ?? false,
      endsOnComplete: file.endsOnComplete ?? base?.endsOnComplete ?? false, values: values.compactMap { $0 })
    return []
  }
}

/// A style's file as it was read, unchecked.
package struct StyleFile: Equatable, Sendable {
  package let name: String
  package let layout: String
  package let reveal: Bool?
  package let endsOnComplete: Bool?
  package let options: [GivenOption]

  package init(
    name: String, layout: String, reveal: Bool? = nil, endsOnComplete: Bool? = nil, options: [GivenOption] = []
  ) {
    self.name = name
    self.layout = layout
    self.reveal = reveal
    self.endsOnComplete = endsOnComplete
    self.options = options
  }
}

/// What is wrong with a style's file.
package struct StyleFileMistake: Error, Equatable, Sendable {
  package let style: String
  /// `layout` or `options/NAME`.
  package let member: String
  /// What is wrong with it, to be read after its name.
  package let detail: String

  package init(style: String, member: String, detail: String) {
    self.style = style
    self.member = member
    self.detail = detail
  }
}
