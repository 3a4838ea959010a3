import CJansson

/// A value in a JSON document; valid as long as the document.
struct JSONValue {
  private let handle: UnsafeMutablePointer<json_t>
  private let hasHugeInteger: Bool

  init(_ handle: UnsafeMutablePointer<json_t>, hasHugeInteger: Bool) {
    self.handle = handle
    self.hasHugeInteger = hasHugeInteger
  }

  private func child(_ handle: UnsafeMutablePointer<json_t>) -> JSONValue {
    JSONValue(handle, hasHugeInteger: hasHugeInteger)
  }

  enum Kind {
    case object, array, string, integer, real, boolean, null
  }

  var kind: Kind {
    switch handle.pointee.type {
    case JSON_OBJECT: .object
    case JSON_ARRAY: .array
    case JSON_STRING: .string
    case JSON_INTEGER: .integer
    case JSON_REAL: .real
    case JSON_TRUE, JSON_FALSE: .boolean
    default: .null
    }
  }

  /// A string's bytes; nil for another kind.
  var utf8: UnsafeBufferPointer<UInt8>? {
    guard kind == .string else { return nil }
    let start = UnsafeRawPointer(json_string_value(handle))?.assumingMemoryBound(to: UInt8.self)
    return UnsafeBufferPointer(start: start, count: json_string_length(handle))
  }

  var string: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

  /// A number without fraction and exponent; nil for another kind.
  var integer: Int? {
    if kind == .integer { return Int(json_integer_value(handle)) }
    return hasHugeInteger && kind == .real ? Int(exactly: json_real_value(handle)) : nil
  }

  /// Any number; nil for another kind.
  var number: Double? {
    switch kind {
    case .integer, .real: json_number_value(handle)
    case .object, .array, .string, .boolean, .null: nil
    }
  }

  var bool: Bool? { kind == .boolean ? handle.pointee.type == JSON_TRUE : nil }

  /// A member of an object; nil without it, and for another kind.
  subscript(name: StaticString) -> JSONValue? {
    // A static string of ASCII ends with a zero.
    json_object_get(handle, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)).map { child($0) }
  }

  /// The members of an object, in the order of the text; none for another kind.
  var members: [(name: String, value: JSONValue)] {
    var members: [(String, JSONValue)] = []
    forEachMember { members.append((String(cString: $0), $1)) }
    return members
  }

  /// Calls `body` with the name of each member of an object, valid as long as the document, and its value.
  func forEachMember(_ body: (UnsafePointer<CChar>, JSONValue) -> Void) {
    var iterator = json_object_iter(handle)
    while let place = iterator {
      if let name = json_object_iter_key(place), let value = json_object_iter_value(place) {
        body(name, child(value))
      }
      iterator = json_object_iter_next(handle, place)
    }
  }

  /// The elements of an array; none for another kind.
  var elements: [JSONValue] {
    (0..<json_array_size(handle)).compactMap { json_array_get(handle, $0).map { child($0) } }
  }
}
