import MicroHTTP
import PINEntry

/// What the members of a body say, read against a closed list of names: every mistake is named, not only the first.
struct BodyReader: ~Copyable {
  private let document: JSONDocument
  private(set) var errors: [FieldError] = []
  let isObject: Bool

  /// Parses a body; one that is empty is an empty object.
  init(_ body: UnsafeRawBufferPointer) throws(Problem) {
    document = try Self.parse(body)
    isObject = document.root.kind == .object
    if !isObject { fail("", "is not an object") }
  }

  private static func parse(_ body: UnsafeRawBufferPointer) throws(Problem) -> JSONDocument {
    do throws(JSONError) {
      if body.isEmpty {
        var empty: [2 of UInt8] = [0x7B, 0x7D]
        return try withUnsafeBytes(of: &empty) { bytes throws(JSONError) in try JSONDocument(bytes) }
      }
      return try JSONDocument(body)
    } catch {
      switch error {
      case .malformed(let detail): throw Problem(.malformed, detail)
      case .numberOutOfRange: throw .invalid([FieldError(.pointer(""), "has a number that is too large")])
      case .noMemory: throw Problem(Refusal.unavailable)
      }
    }
  }

  var root: JSONValue { document.root }

  mutating func fail(_ pointer: String, _ detail: String) { errors.append(FieldError(.pointer(pointer), detail)) }

  /// Names every member that is not in `names`.
  mutating func allow(_ names: StaticString...) {
    guard isObject else { return }
    root.forEachMember { name, _ in
      if names.contains(where: { $0.equals(name) }) { return }
      fail("/" + JSONPointer.escaped(String(cString: name)), "is not known here")
    }
  }

  /// A string of at most `most` Unicode scalars, as UTF-8.
  mutating func utf8(_ name: StaticString, most: Int, isRequired: Bool = false) -> UnsafeBufferPointer<UInt8>? {
    guard isObject else { return nil }
    guard let value = root[name] else {
      if isRequired { fail("/\(name)", "is needed") }
      return nil
    }
    guard let bytes = value.utf8 else {
      fail("/\(name)", "is not a string")
      return nil
    }
    // Each scalar has one byte that continues none.
    guard bytes.count(where: { $0 & 0xC0 != 0x80 }) <= most else {
      fail("/\(name)", "has more than \(most) characters")
      return nil
    }
    return bytes
  }

  /// A whole number without fraction, in a range.
  mutating func integer(_ name: StaticString, in range: ClosedRange<Int>) -> Int? {
    guard isObject, let value = root[name] else { return nil }
    guard let number = value.integer, range.contains(number) else {
      fail("/\(name)", "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }

  mutating func flag(_ name: StaticString) -> Bool? {
    guard isObject, let value = root[name] else { return nil }
    guard let flag = value.bool else {
      fail("/\(name)", "is not true or false")
      return nil
    }
    return flag
  }

  /// Throws if anything was wrong.
  borrowing func check() throws(Problem) {
    guard errors.isEmpty else { throw .invalid(errors) }
  }
}

/// JSON pointers (RFC 6901).
enum JSONPointer {
  static func escaped(_ name: String) -> String {
    var escaped = ""
    for character in name.unicodeScalars {
      switch character {
      case "~": escaped += "~0"
      case "/": escaped += "~1"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
