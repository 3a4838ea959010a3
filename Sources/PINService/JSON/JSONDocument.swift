import CJansson
import WipingScratch

/// Why a text is not JSON as we take it.
enum JSONError: Error, Equatable {
  /// Not UTF-8, not JSON, a member twice, or something after it; the detail says where and never what.
  case malformed(String)
  /// It is JSON, but has a number that 64 bits don't hold.
  case numberOutOfRange
}

/// A JSON text, parsed by jansson. Strings in it may be digits or keys: its memory is wiped when it is given back.
struct JSONDocument: ~Copyable {
  private let handle: UnsafeMutablePointer<json_t>
  /// Whether an integer was too large for 64 bits, so that all of them were read as reals.
  private let hasHugeInteger: Bool

  init(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
    Self.useScratch
    var error = json_error_t()
    let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    if let handle = json_loadb(text, bytes.count, Self.flags, &error) {
      self.handle = handle
      hasHugeInteger = false
      return
    }
    guard Self.read(error) == .numberOutOfRange,
      let handle = json_loadb(text, bytes.count, Self.flags | Int(JSON_DECODE_INT_AS_REAL), &error)
    else { throw Self.read(error) }
    self.handle = handle
    hasHugeInteger = true
  }

  deinit { json_decref(handle) }

  /// Valid as long as the document.
  var root: JSONValue { JSONValue(handle, hasHugeInteger: hasHugeInteger) }

  /// A small body has seven parts, which live as long as this and on one thread.
  private static let useScratch: Void = json_set_alloc_funcs(scratch_take, scratch_give_back)

  // A zero in a string is a character that no alphabet has, not a fault of the text.
  private static let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)

  private static func read(_ error: json_error_t) -> JSONError {
    let code = withUnsafeBytes(of: error.text) { $0.last ?? 0 }
    if UInt32(code) == json_error_numeric_overflow.rawValue { return .numberOutOfRange }
    let reason =
      switch UInt32(code) {
      case json_error_duplicate_key.rawValue: "a member is there twice"
      case json_error_invalid_utf8.rawValue: "it is not UTF-8"
      case json_error_premature_end_of_input.rawValue: "it ends too early"
      case json_error_end_of_input_expected.rawValue: "something comes after it"
      default: "it is not JSON"
      }
    return .malformed("This can't be read: \(reason), at byte \(max(0, error.position)).")
  }
}
