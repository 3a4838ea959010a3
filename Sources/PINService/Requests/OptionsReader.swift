import CellSVG
import PINEntry
import SessionStore

/// Reads the members of a creation, or of a change by RFC 7396, over the options that hold without them.
struct OptionsReader {
  let styles: StyleCatalog
  /// What is changed; nil for a creation.
  let base: SessionConfiguration?
  private var errors: [FieldError] = []

  /// - Parameter base: the options that are changed; nil for a creation.
  init(_ styles: StyleCatalog, changing base: SessionConfiguration? = nil) {
    self.styles = styles
    self.base = base
  }

  private static let members: [StaticString] = [
    "length", "alphabet", "style", "reveal", "endsOnComplete", "overflow", "maxAttempts", "timeouts", "label",
    "metadata", "sealTo",
  ]

  /// The options with the body's members in; throws with all that is wrong.
  mutating func read(_ body: borrowing BodyReader) throws(Problem) -> SessionConfiguration {
    try body.check()
    let root = body.root
    for (name, _) in root.members where !Self.members.contains(where: { $0.equals(name) }) {
      fail("/" + JSONPointer.escaped(name), "is not known here")
    }
    var options = base?.options ?? EntryOptions()
    if let length = integer(root, "length", in: EntryOptions.lengths, default: 6) { options.length = UInt8(length) }
    let style = readStyle(root["style"], length: Int(options.length))
    readFlags(root, &options, style)
    if let value = root["alphabet"] {
      options.alphabet = choice(value, "/alphabet", [("digits", .digits), ("alphanumeric", .alphanumeric)], .digits)
    }
    if let value = root["overflow"] {
      options.overflow = choice(value, "/overflow", [("truncate", .truncate), ("reject", .reject)], .truncate)
    }
    if let most = integer(root, "maxAttempts", in: 0...100, default: 0) { options.maxAttempts = UInt8(most) }
    readTimeouts(root["timeouts"], &options.timeouts)
    let label = readLabel(root["label"])
    let metadata = readMetadata(root["metadata"])
    let sealTo = readSealTo(root["sealTo"])
    options.seals = sealTo != nil
    if sealTo != nil && options.reveal { fail("/reveal", "can't be true, here or by the style, together with sealTo") }
    guard errors.isEmpty else { throw .invalid(errors) }
    let isPlain =
      base == nil && root["label"] == nil && root["metadata"] == nil && sealTo == nil && root["style"]?.kind != .object
    return SessionConfiguration(
      options: options,
      presentation: isPlain
        ? style.definition.presentation
        : Presentation(label: label, style: style.choice, metadata: metadata, sealTo: sealTo))
  }

  /// A creation may name a key; a change may only repeat it.
  private mutating func readSealTo(_ value: JSONValue?) -> PublicKey? {
    let present = base?.presentation.sealTo
    guard let value else { return present }
    let isNone = restoresDefault(value)
    let key = isNone ? nil : value.utf8.flatMap { PublicKey($0) }
    guard isNone || key != nil else {
      fail("/sealTo", "is not an X25519 public key: 32 bytes in base64url, 43 characters without padding")
      return present
    }
    if let key, !SealedBox.fits(key) {
      fail("/sealTo", "is a point of low order, to which anybody would have the key")
      return present
    }
    if base != nil && key != present { fail("/sealTo", "is fixed when the session is created") }
    return key
  }

  mutating func fail(_ pointer: String, _ detail: String) {
    errors.append(FieldError(.pointer(pointer), detail))
  }

  /// Whether a null stands for the default here; in a creation it is a wrong type.
  func restoresDefault(_ value: JSONValue) -> Bool { base != nil && value.kind == .null }

  private mutating func integer(
    _ object: JSONValue, _ name: StaticString, in range: ClosedRange<Int>, default standard: Int, at parent: String = ""
  ) -> Int? {
    guard let value = object[name] else { return nil }
    if restoresDefault(value) { return standard }
    guard let number = value.integer, range.contains(number) else {
      fail("\(parent)/\(name)", "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }

  private mutating func choice<T>(
    _ value: JSONValue, _ pointer: String, _ choices: [(StaticString, T)], _ standard: T
  ) -> T {
    if restoresDefault(value) { return standard }
    if let name = value.string, let choice = choices.first(where: { $0.0.equals(name) }) { return choice.1 }
    fail(pointer, "is not one of " + choices.map { "\"\($0.0)\"" }.joined(separator: ", "))
    return standard
  }

  private mutating func readFlags(_ root: JSONValue, _ options: inout EntryOptions, _ style: Style) {
    // A creation takes the style's own; a change keeps what holds, whatever the style.
    if base == nil {
      options.reveal = style.definition.reveal
      options.endsOnComplete = style.definition.endsOnComplete
    }
    if let value = root["reveal"] {
      options.reveal = flag(value, "/reveal", standard: style.definition.reveal)
    }
    if let value = root["endsOnComplete"] {
      options.endsOnComplete = flag(value, "/endsOnComplete", standard: style.definition.endsOnComplete)
    }
  }

  private mutating func flag(_ value: JSONValue, _ pointer: String, standard: Bool) -> Bool {
    if restoresDefault(value) { return standard }
    if let flag = value.bool { return flag }
    fail(pointer, "is not true or false")
    return standard
  }

  private mutating func readTimeouts(_ value: JSONValue?, _ timeouts: inout Timeouts) {
    guard let value else { return }
    if restoresDefault(value) {
      timeouts = Timeouts()
      return
    }
    guard value.kind == .object else { return fail("/timeouts", "is not an object") }
    for (name, _) in value.members where !["total", "firstInput", "interDigit"].contains(name) {
      fail("/timeouts/" + JSONPointer.escaped(name), "is not known here")
    }
    let range = 1...86_400
    if let total = integer(value, "total", in: range, default: 300, at: "/timeouts") { timeouts.total = UInt32(total) }
    if let first = integer(value, "firstInput", in: range, default: 0, at: "/timeouts") {
      timeouts.firstInput = UInt32(first)
    }
    if let next = integer(value, "interDigit", in: range, default: 0, at: "/timeouts") {
      timeouts.interDigit = UInt32(next)
    }
  }

  private mutating func readLabel(_ value: JSONValue?) -> String {
    guard let value else { return base?.presentation.label ?? Presentation.defaultLabel }
    if restoresDefault(value) { return Presentation.defaultLabel }
    guard let label = value.string, (1...200).contains(label.unicodeScalars.count) else {
      fail("/label", "is not a string of 1 to 200 characters")
      return Presentation.defaultLabel
    }
    return label
  }

  private mutating func readMetadata(_ value: JSONValue?) -> [Metadatum] {
    var pairs = base?.presentation.metadata ?? []
    guard let value else { return pairs }
    if restoresDefault(value) { return [] }
    guard value.kind == .object else {
      fail("/metadata", "is not an object")
      return pairs
    }
    for (name, value) in value.members {
      let place = pairs.firstIndex { $0.key == name }
      if restoresDefault(value) {
        if let place { pairs.remove(at: place) }
      } else if let text = value.string {
        let pair = Metadatum(key: name, value: text)
        if let place { pairs[place] = pair } else { pairs.append(pair) }
      } else {
        fail("/metadata/" + JSONPointer.escaped(name), "is not a string")
      }
    }
    if pairs.count > 16 { fail("/metadata", "has more than 16 pairs") }
    let size = pairs.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    if size > 4096 { fail("/metadata", "has more than 4096 bytes") }
    return pairs
  }
}
