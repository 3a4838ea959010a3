import PINEntry

/// A value for an option of a style as somebody gave it, unchecked.
package enum GivenValue: Equatable, Sendable {
  case number(Double)
  case text(String)
  case flag(Bool)
  case numbers([Double])
  /// Restores the default.
  case null
  /// Anything that no option takes: an object, a list of something else.
  case other
  /// From a query, where everything is text: `groups` is written `3,3`, a flag `true` or `false`.
  case query(String)
}

/// An option as somebody gave it, unchecked.
package struct GivenOption: Equatable, Sendable {
  package let name: String
  package let value: GivenValue

  package init(_ name: String, _ value: GivenValue) {
    self.name = name
    self.value = value
  }
}

extension OptionKind {
  /// The value that was given, if an option of this kind takes it; nil for what is wrong.
  func read(_ given: GivenValue) -> StyleValue? {
    switch self {
    case .number: number(given).map { .number($0) }
    case .color: color(given).map { .color($0) }
    case .flag: flag(given).map { .flag($0) }
    case .groups: groups(given).map { .groups($0) }
    }
  }

  /// What a value has to be; said of one that is not.
  func complaint(length: Int?) -> String {
    switch self {
    case .number: "is not a number from 0 to 4096"
    case .color: "is not a colour: #rgb, #rrggbb or a CSS colour name"
    case .flag: "is not true or false"
    case .groups: "is not a list of cells per group" + (length.map { " whose sum is \($0)" } ?? "")
    }
  }

  private func number(_ given: GivenValue) -> Double? {
    switch given {
    case .number(let number): (0...4096).contains(number) ? number : nil
    case .query(let text): Self.decimal(text).flatMap { self.number(.number($0)) }
    case .text, .flag, .numbers, .null, .other: nil
    }
  }

  private func color(_ given: GivenValue) -> String? {
    switch given {
    case .text(let text), .query(let text): CSSColor.isColor(text) ? text : nil
    case .number, .flag, .numbers, .null, .other: nil
    }
  }

  private func flag(_ given: GivenValue) -> Bool? {
    switch given {
    case .flag(let flag): flag
    case .query("true"): true
    case .query("false"): false
    case .number, .text, .numbers, .null, .other, .query: nil
    }
  }

  private func groups(_ given: GivenValue) -> [Int]? {
    switch given {
    case .numbers(let numbers):
      // A cell each at least, and no more than there can be; so the conversion is exact and can't trap.
      numbers.allSatisfy { (1...32).contains($0) && $0 == $0.rounded() } && numbers.count <= 32
        ? numbers.map { Int($0) } : nil
    case .query(""): []
    case .query(let text): Self.decimals(text).flatMap { groups(.numbers($0)) }
    case .number, .text, .flag, .null, .other: nil
    }
  }

  private static func decimals(_ text: String) -> [Double]? {
    var numbers: [Double] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = decimal(part) else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  /// A number as JSON writes it; `Double` alone would also take `0x10`, `inf` and `nan`.
  private static func decimal(_ text: some StringProtocol) -> Double? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) || ".eE+-".utf8.contains($0) } ? Double(text) : nil
  }
}
