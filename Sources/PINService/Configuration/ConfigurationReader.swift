import SessionStore

/// Puts a configuration together: what is set later wins over what was set earlier, and every mistake is kept.
package struct ConfigurationReader {
  package private(set) var configuration = Configuration()
  /// All that is wrong, a line each, none with a secret in it.
  package private(set) var mistakes: [String] = []
  private(set) var places = SettingPlaces()
  /// Whether there are API keys that can't be used: then what lacks keys is no mistake of its own.
  private(set) var hasWrongKeys = false

  package init() {}

  package mutating func fail(_ mistake: String) { mistakes.append(mistake) }

  /// Adds a mistake in a setting, which shows only when all has been read.
  package mutating func fail(in name: String, _ mistake: String) { fail("\(places.beginning(of: name)): \(mistake)") }

  /// Takes a file's text: an object whose members are the settings, those with a dot nested.
  package mutating func readFile(_ text: [UInt8], named file: String) {
    text.withUnsafeBytes { bytes in
      do throws(JSONError) {
        let document = try JSONDocument(bytes)
        guard document.root.kind == .object else { return fail("\(file): is not an object") }
        places.beginFile()
        read(document.root, "", file)
      } catch {
        switch error {
        case .malformed(let detail): fail("\(file): \(detail)")
        case .numberOutOfRange: fail("\(file): a number is too large")
        case .noMemory: fail("\(file): there is no memory to read it")
        }
      }
    }
  }

  private mutating func read(_ object: JSONValue, _ prefix: String, _ file: String) {
    for (name, value) in object.members {
      let path = prefix + name
      if let setting = Setting.all.first(where: { $0.name == path }) {
        if let both = places.add(path, isNested: !prefix.isEmpty) {
          fail("\(file): \(path): is there twice, \(both)")
        }
        places.set(path, inFile: file)
        set(setting, value, "\(file): \(path)")
      } else if value.kind == .object, Setting.all.contains(where: { $0.name.hasPrefix(path + ".") }) {
        read(value, path + ".", file)
      } else {
        fail("\(file): \(path): there is no such setting")
      }
    }
  }

  private mutating func set(_ setting: Setting, _ value: JSONValue, _ place: String) {
    switch setting.kind {
    case .number(let path, let range):
      guard let number = value.integer, range.contains(number) else { return failNumber(place, range) }
      configuration[keyPath: path] = number
    case .text(let path, let choices):
      guard let text = value.string else { return fail("\(place): is not a string") }
      setText(path, choices, text, place)
    case .list(let path):
      if let texts = list(value, place) { configuration[keyPath: path] = texts }
    case .keys(let path):
      if let texts = list(value, place) { configuration[keyPath: path] = checked(texts.map { APIKey($0) }, place) }
    case .flag(let path):
      guard let flag = value.bool else { return fail("\(place): is not true or false") }
      configuration[keyPath: path] = flag
    }
  }

  /// Takes the environment; variables that begin with `PINPAD_` and are no setting are mistakes.
  package mutating func readEnvironment(_ environment: Environment) {
    for (name, value) in environment.variables {
      guard let setting = Setting.all.first(where: { $0.variable == name }) else {
        fail("\(name): there is no such setting")
        continue
      }
      places.set(setting.name, at: name)
      // Most likely what was to be in it was not there, and whoever asks for keys does not mean none.
      if setting.needsValue && value.isEmpty { fail("\(name): is empty: unset it if there are to be no API keys") }
      switch value {
      case .text(let text): set(setting, text, name)
      case .keys(let keys): set(setting, keys, name)
      }
    }
  }

  /// Takes `--listen`.
  package mutating func readListen(_ text: String) {
    places.set("listen", at: "--listen")
    configuration.listen = text
  }

  private mutating func set(_ setting: Setting, _ text: String, _ place: String) {
    switch setting.kind {
    case .number(let path, let range):
      guard let number = Int(text), range.contains(number) else { return failNumber(place, range) }
      configuration[keyPath: path] = number
    case .text(let path, let choices): setText(path, choices, text, place)
    case .list(let path): configuration[keyPath: path] = Self.list(text)
    case .keys: set(setting, Self.list(text).map { APIKey($0) }, place)
    case .flag(let path):
      guard text == "true" || text == "false" else { return fail("\(place): is not true or false") }
      configuration[keyPath: path] = text == "true"
    }
  }

  private mutating func list(_ value: JSONValue, _ place: String) -> [String]? {
    let texts = value.elements.map(\.string)
    if value.kind == .array, !texts.contains(nil) { return texts.compactMap { $0 } }
    fail("\(place): is not a list of strings")
    return nil
  }

  static func list(_ text: String) -> [String] {
    text.split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty }
  }

  private mutating func checked(_ keys: [APIKey?], _ place: String) -> [APIKey] {
    for (index, key) in keys.enumerated() where key == nil {
      fail("\(place): key \(index + 1) has fewer than 16 characters, or one that is not visible ASCII")
      hasWrongKeys = true
    }
    return keys.compactMap { $0 }
  }

  private mutating func set(_ setting: Setting, _ keys: [APIKey?], _ place: String) {
    guard case .keys(let path) = setting.kind else { return }
    configuration[keyPath: path] = checked(keys, place)
  }

  private mutating func setText(
    _ path: WritableKeyPath<Configuration, String>, _ choices: [String], _ text: String, _ place: String
  ) {
    guard choices.isEmpty || choices.contains(text) else {
      return fail("\(place): is not one of \(choices.joined(separator: ", "))")
    }
    configuration[keyPath: path] = text
  }

  private mutating func failNumber(_ place: String, _ range: ClosedRange<Int>) {
    fail("\(place): is not a whole number from \(range.lowerBound) to \(range.upperBound)")
  }

  /// Adds the keys of `apiKeysFile`, which has one a line; empty lines and those with a `#` in front don't count. A file
  /// without any is a mistake: whoever names one does not mean that everyone may create sessions.
  package mutating func readKeys(_ text: String) {
    let file = configuration.apiKeysFile
    let lines = text.split(whereSeparator: \.isNewline).map { Self.trimmed($0) }
    let keys = lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    if keys.isEmpty { failKeysFile("\(file): has no key") }
    configuration.apiKeys += checked(keys.map { APIKey($0) }, "\(places.beginning(of: "apiKeysFile")): \(file)")
  }

  /// For an `apiKeysFile` that can't be read.
  package mutating func failKeysFile(_ mistake: String) {
    fail(in: "apiKeysFile", mistake)
    hasWrongKeys = true
  }

  /// Takes `--store`.
  package mutating func readStore(_ text: String) {
    places.set("store", at: "--store")
    configuration.store = text
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
