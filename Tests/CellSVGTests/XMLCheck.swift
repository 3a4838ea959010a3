/// Whether a document is well-formed, as far as pictures use XML: elements, attributes in double quotes, text with
/// the five named references or decimal ones; no declarations, comments or sections.
enum XMLCheck {
  /// What is wrong; nil for a well-formed document.
  static func mistake(in document: String) -> String? {
    for scalar in document.unicodeScalars where !isCharacter(scalar.value) {
      return "U+\(String(scalar.value, radix: 16)) is no character of XML"
    }
    var open: [Substring] = []
    // Markup is ASCII; anything else would only combine with it into other characters of Swift's.
    let ascii = String(decoding: document.utf8.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    var rest = ascii.trimmingSuffix { $0 == "\n" }
    repeat {
      guard let tag = rest.prefixMatch(of: #/<(/?)([a-z]+)((?: [a-zA-Z0-9-]+="[^"<]*")*)(/?)>/#) else {
        return "no tag at \(rest.prefix(40))"
      }
      if tag.1.isEmpty {
        let names = tag.3.matches(of: #/ ([a-zA-Z0-9-]+)="/#).map(\.1)
        guard Set(names).count == names.count else { return "an attribute twice in \(tag.0)" }
        guard referencesAreKnown(in: tag.3) else { return "a bare & in \(tag.0)" }
        if tag.4.isEmpty { open.append(tag.2) }
      } else {
        guard open.popLast() == tag.2, tag.3.isEmpty, tag.4.isEmpty else { return "\(tag.0) closes nothing" }
      }
      rest = rest[tag.range.upperBound...]
      let text = rest.prefix { $0 != "<" }
      guard referencesAreKnown(in: text), !text.contains("]]>") else { return "a bare & or ]]> in \(text)" }
      if open.isEmpty && !text.isEmpty { return "text outside of the root" }
      rest = rest[text.endIndex...]
    } while !open.isEmpty
    return rest.isEmpty ? nil : "something after the root: \(rest.prefix(40))"
  }

  /// XML 1.0 §2.2.
  private static func isCharacter(_ value: UInt32) -> Bool {
    switch value {
    case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }

  private static func referencesAreKnown(in text: Substring) -> Bool {
    !text.replacing(#/&(amp|lt|gt|quot|apos|#[0-9]+);/#, with: "").contains("&")
  }
}

extension String {
  fileprivate func trimmingSuffix(while isLeftOut: (Character) -> Bool) -> Substring {
    var end = endIndex
    while end > startIndex, isLeftOut(self[index(before: end)]) { end = index(before: end) }
    return self[..<end]
  }
}
