/// Where the settings that hold were set.
struct SettingPlaces {
  /// By name: a file, or a variable or flag. Those with their default are not there.
  private var places: [String: (name: String, isFile: Bool)] = [:]
  /// How the settings of the file under way were written, by name.
  private var spellings: [String: String] = [:]

  /// - Parameter place: a variable or a flag.
  mutating func set(_ name: String, at place: String) { places[name] = (place, isFile: false) }

  mutating func set(_ name: String, inFile file: String) { places[name] = (file, isFile: true) }

  /// Begins with a file.
  mutating func beginFile() { spellings = [:] }

  /// Takes note that the file has a setting.
  ///
  /// - Parameter isNested: whether it stands in an object of its section.
  /// - Returns: both spellings, if it was there before.
  mutating func add(_ name: String, isNested: Bool) -> String? {
    let parts = name.split(separator: ".").map { "\"\($0)\"" }
    let spelling = isNested ? parts.joined(separator: ": {") + "}" : "\"\(name)\""
    defer { spellings[name] = spelling }
    return spellings[name].map { "as \($0) and as \(spelling)" }
  }

  /// For a mistake that lies in several settings together: where each was set.
  func describe(_ names: [String]) -> String {
    let parts = names.map { "\($0) is " + (places[$0].map { "from \($0.name)" } ?? "the default") }
    return "(\(parts.joined(separator: ", ")))"
  }

  /// What a mistake in it begins with: `pinpad.json: workers`, `PINPAD_WORKERS`, or only its name if it was not set.
  func beginning(of name: String) -> String {
    guard let place = places[name] else { return name }
    return place.isFile ? "\(place.name): \(name)" : place.name
  }

  /// Whether it was set at all.
  func has(_ name: String) -> Bool { places[name] != nil }
}
