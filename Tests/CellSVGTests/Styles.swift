import CJansson
import CellSVG
import PINEntry
import StaticFiles
import WipingBuffer

/// The styles that come with the program.
let styles: StyleCatalog = {
  var catalog = StyleCatalog()
  let mistakes = catalog.add(embeddedStyles())
  guard mistakes.isEmpty else { fatalError("\(mistakes)") }
  return catalog
}()

/// Reads the files of those styles.
func embeddedStyles() -> [StyleFile] {
  var files: [StyleFile] = []
  var name: UnsafePointer<CChar>?
  var size = 0
  while let start = static_style(files.count, &name, &size) {
    guard let name, let root = json_loadb(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), size, 0, nil)
    else { fatalError("not JSON: style \(files.count)") }
    defer { json_decref(root) }
    files.append(
      StyleFile(
        name: String(cString: name),
        layout: json_string_value(json_object_get(root, "layout")).map { String(cString: $0) } ?? "",
        reveal: flag(json_object_get(root, "reveal")), endsOnComplete: flag(json_object_get(root, "endsOnComplete")),
        options: options(json_object_get(root, "options"))))
  }
  return files
}

private func options(_ object: UnsafeMutablePointer<json_t>?) -> [GivenOption] {
  var options: [GivenOption] = []
  var iterator = json_object_iter(object)
  while let member = iterator {
    let name = String(cString: json_object_iter_key(member))
    options.append(GivenOption(name, given(json_object_iter_value(member))))
    iterator = json_object_iter_next(object, member)
  }
  return options
}

private func given(_ value: UnsafeMutablePointer<json_t>?) -> GivenValue {
  guard let value else { return .other }
  switch value.pointee.type {
  case JSON_INTEGER, JSON_REAL: return .number(json_number_value(value))
  case JSON_STRING: return .text(String(cString: json_string_value(value)))
  case JSON_TRUE, JSON_FALSE: return .flag(value.pointee.type == JSON_TRUE)
  case JSON_ARRAY: return .numbers((0..<json_array_size(value)).map { json_number_value(json_array_get(value, $0)) })
  default: return .other
  }
}

private func flag(_ value: UnsafeMutablePointer<json_t>?) -> Bool? {
  value.map { $0.pointee.type == JSON_TRUE }
}

/// A picture's document.
///
/// - Parameters:
///   - options: given as in a query.
///   - text: what the session holds; shown only with `reveal`.
func picture(
  _ style: String, _ options: [(String, String)] = [], length: Int = 6, count: Int = 0, width: Int? = nil,
  height: Int? = nil, label: String = "PIN", status: Status = .open, active: Bool = false, rejected: Bool = false,
  message: String = "", attempts: UInt32 = 0, reveal: Bool = false, text: String = ""
) -> String {
  guard let definition = styles[style] else { fatalError("no style \(style)") }
  let (choice, mistakes) = definition.choice(options.map { GivenOption($0.0, .query($0.1)) }, length: length)
  guard mistakes.isEmpty else { fatalError("\(mistakes)") }
  let size = definition.defaultSize(of: choice, length: length)
  let state = SessionState(
    length: UInt8(length), count: UInt8(text.isEmpty ? count : text.utf8.count), status: status, active: active,
    held: false, rejected: rejected, attempts: attempts, completion: 0, revision: 0, expiresAt: 0)
  let picture = Picture(
    choice, of: definition, label: label, state: state, message: message, reveal: reveal, width: width ?? size.width,
    height: height ?? size.height)
  var out = Bytes()
  picture.draw(into: &out) { show in text.utf8.forEach(show) }
  return out.withBytes { String(decoding: $0, as: UTF8.self) }
}
