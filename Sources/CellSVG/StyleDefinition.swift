package import PINEntry

/// What a style is: a layout and the defaults of its options.
package struct StyleDefinition: Sendable {
  package let name: String
  package let layout: Layout
  /// Whether a session of this style shows its characters unless it says otherwise.
  package let reveal: Bool
  /// Whether a session of this style ends by itself when complete unless it says otherwise.
  package let endsOnComplete: Bool
  /// Every option of the layout with its default, in the order of the layout.
  package let options: [StyleOption]
  /// The names of `options`, read once.
  let optionNames: [OptionName]

  init(name: String, layout: Layout, reveal: Bool, endsOnComplete: Bool, values: [StyleValue]) {
    self.name = name
    self.layout = layout
    self.reveal = reveal
    self.endsOnComplete = endsOnComplete
    optionNames = layout.options
    options = zip(optionNames, values).map { StyleOption(name: $0.rawValue, value: $1) }
    presentation = Presentation(label: Presentation.defaultLabel, style: StyleChoice(name: name, options: options))
  }

  /// This style with nothing changed.
  package var defaultChoice: StyleChoice { presentation.style }

  /// What a session of this style shows that says nothing about it: one for all of them, as it takes more than the rest
  /// of a session.
  package let presentation: Presentation

  /// The defaults alone, in the order of `optionNames`.
  var values: [StyleValue] { options.map(\.value) }

  /// Whether a choice has the options of this style's layout.
  func made(_ choice: StyleChoice) -> Bool {
    choice.options.elementsEqual(optionNames) { $0.name == $1.rawValue }
  }

  /// This style with the options that a client gave.
  ///
  /// - Parameters:
  ///   - given: unchecked; of one given twice the last counts; null restores the default.
  ///   - base: what holds for the options that are not given: a choice of this style, or nil for the defaults.
  ///   - length: the number of cells, which the groups must add up to, also those of `base`.
  /// - Returns: the choice, and everything that is wrong with what was given; only with nothing wrong is the choice
  ///   of use.
  package func choice(
    _ given: [GivenOption], over base: StyleChoice? = nil, length: Int
  ) -> (choice: StyleChoice, mistakes: [StyleMistake]) {
    let base = base ?? defaultChoice
    var values = base.options.map(\.value)
    var mistakes: [StyleMistake] = []
    for option in given {
      guard let place = optionNames.firstIndex(where: { $0.rawValue == option.name }), place < values.count else {
        mistakes.append(StyleMistake(option: option.name, detail: "is not an option of the style \"\(name)\""))
        continue
      }
      if option.value == .null {
        values[place] = options[place].value
      } else if let value = optionNames[place].kind.read(option.value) {
        values[place] = value
      } else {
        let kind = optionNames[place].kind
        mistakes.append(StyleMistake(option: option.name, detail: kind.complaint(length: length)))
      }
    }
    for (name, value) in zip(optionNames, values) {
      guard case .groups(let groups) = value, !groups.isEmpty, groups.reduce(0, +) != length else { continue }
      mistakes.append(StyleMistake(option: name.rawValue, detail: name.kind.complaint(length: length)))
    }
    // Sessions that chose nothing share their options.
    if given.isEmpty { return (base, mistakes) }
    let chosen = zip(optionNames, values).map { StyleOption(name: $0.rawValue, value: $1) }
    return (StyleChoice(name: name, options: chosen), mistakes)
  }

  /// The size of a picture for which none was asked, in px.
  package func defaultSize(of choice: StyleChoice, length: Int) -> (width: Int, height: Int) {
    var height = 60.0
    for (name, option) in zip(optionNames, choice.options) where name == .cellHeight {
      if case .number(let number) = option.value { height = number }
    }
    // An option is at most 4096, and a picture at least one px high.
    return (60 * length, height >= 1 && height <= 4096 ? Int(height.rounded()) : height < 1 ? 1 : 60)
  }
}

/// What is wrong with an option that was given for a style.
package struct StyleMistake: Error, Equatable, Sendable {
  /// The option's name as it was given.
  package let option: String
  /// What is wrong with it, to be read after its name.
  package let detail: String

  package init(option: String, detail: String) {
    self.option = option
    self.detail = detail
  }
}
