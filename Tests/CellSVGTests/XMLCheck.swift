/// Whether a document is well-formed, as far as pictures use XML: elements, attributes in double quotes, text with
/// the named references or decimal ones; no declarations, comments or sections.
struct XMLCheck {
  /// What is wrong with a document; nil for a well-formed one.
  ///
  /// - Parameter attribute: is called with each attribute's name and value, and says what is wrong with it, if anything.
  static func mistake(in document: String, attribute: (String, String) -> String? = { _, _ in nil }) -> String? {
    for scalar in document.unicodeScalars where !isCharacter(scalar.value) {
      return "U+\(String(scalar.value, radix: 16)) is no character of XML"
    }
    var check = XMLCheck(bytes: Array(document.utf8))
    do throws(Mistake) {
      try check.document(attribute)
      return nil
    } catch {
      return error.text
    }
  }

  private struct Mistake: Error {
    let text: String
  }

  private let bytes: [UInt8]
  private var index = 0
  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func document(_ attribute: (String, String) -> String?) throws(Mistake) {
    var open: [String] = []
    repeat {
      try expect("<")
      if next == UInt8(ascii: "/") {
        try expect("/")
        let name = name()
        guard open.popLast() == name else { throw Mistake(text: "</\(name)> closes nothing") }
      } else {
        open.append(name())
        try attributes(attribute)
        if next == UInt8(ascii: "/") {
          try expect("/")
          open.removeLast()
        }
      }
      try expect(">")
      if !open.isEmpty { _ = try text(until: "<") }
    } while !open.isEmpty
    guard bytes[index...].allSatisfy({ $0 == 0x0A }) else { throw Mistake(text: "something after the root") }
  }

  private mutating func attributes(_ check: (String, String) -> String?) throws(Mistake) {
    var names: Set<String> = []
    while next == UInt8(ascii: " ") {
      index += 1
      let name = name()
      guard names.insert(name).inserted else { throw Mistake(text: "\(name) twice") }
      try expect("=")
      try expect("\"")
      let value = try text(until: "\"")
      guard !value.utf8.contains(UInt8(ascii: "<")) else { throw Mistake(text: "< in \(name)") }
      try expect("\"")
      if let mistake = check(name, value) { throw Mistake(text: "\(name)=\"\(value)\" \(mistake)") }
    }
  }

  private mutating func name() -> String {
    take { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
  }

  private mutating func text(until end: Unicode.Scalar) throws(Mistake) -> String {
    let text = take { $0 != UInt8(ascii: end) }
    var rest = text.utf8[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
      let reference = String(rest[start...].prefix { $0 != UInt8(ascii: ";") }) ?? ""
      guard ["&amp", "&lt", "&gt", "&quot", "&#39"].contains(reference) else { throw Mistake(text: "a bare &") }
      rest = rest[rest.index(after: start)...]
    }
    guard !text.contains("]]>") else { throw Mistake(text: "]]>") }
    return text
  }

  private mutating func take(_ isTaken: (UInt8) -> Bool) -> String {
    let start = index
    while let next, isTaken(next) { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func expect(_ scalar: Unicode.Scalar) throws(Mistake) {
    guard next == UInt8(ascii: scalar) else { throw Mistake(text: "no \(scalar) at byte \(index)") }
    index += 1
  }

  /// XML 1.0 §2.2.
  private static func isCharacter(_ value: UInt32) -> Bool {
    switch value {
    case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }
}
