import CJansson
import JSONMemory

/// Why a text is not JSON as we take it.
enum JSONError: Error, Equatable {
  /// Not UTF-8, not JSON, a member twice, or something after it; the detail says where and never what.
  case malformed(String)
  /// It is JSON, but has a number that 64 bits don't hold.
  case numberOutOfRange
  /// It may be JSON, but there is no memory to read it.
  case noMemory
}

/// A JSON text, parsed by jansson. Strings in it may be digits or keys: its memory is wiped when it is given back.
struct JSONDocument: ~Copyable {
  private let handle: UnsafeMutablePointer<json_t>
  /// Whether an integer was too large for 64 bits, so that all of them were read as reals.
  private let hasHugeInteger: Bool

  init(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
    do throws(JSONError) {
      handle = try Self.load(bytes, Self.flags)
      hasHugeInteger = false
    } catch {
      guard error == .numberOutOfRange else { throw error }
      handle = try Self.load(bytes, Self.flags | Int(JSON_DECODE_INT_AS_REAL))
      hasHugeInteger = true
    }
  }

  deinit { json_decref(handle) }

  /// Valid as long as the document.
  var root: JSONValue { JSONValue(handle, hasHugeInteger: hasHugeInteger) }

  // A zero in a string is a character that no alphabet has, not a fault of the text.
  private static let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)

  private static func load(
    _ bytes: UnsafeRawBufferPointer, _ flags: Int
  ) throws(JSONError) -> UnsafeMutablePointer<json_t> {
    var error = json_error_t()
    var hasNoMemory = false
    let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    let value = json_memory_load(text, bytes.count, flags, &error, &hasNoMemory)
    if let value { return value.assumingMemoryBound(to: json_t.self) }
    throw hasNoMemory ? .noMemory : read(error)
  }

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
    // Of what is written by hand the line is easier to find.
    let line = error.line > 1 ? ", in line \(error.line)" : ""
    return .malformed("This can't be read: \(reason), at byte \(max(0, error.position))\(line).")
  }
}
