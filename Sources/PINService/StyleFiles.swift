package import CellSVG
import StaticFiles

/// Reads the files of styles.
package enum StyleFiles {
  /// The styles that are part of the program.
  package static func embedded() -> StyleCatalog { catalog }

  // Read once: a reload may find no memory for it, which must not end the program.
  private static let catalog: StyleCatalog = {
    var catalog = StyleCatalog()
    var files: [StyleFile] = []
    var name: UnsafePointer<CChar>?
    var count = 0
    while let start = static_style(files.count, &name, &count), let name {
      switch read(UnsafeRawBufferPointer(start: start, count: count), named: String(cString: name)) {
      case .success(let file): files.append(file)
      case .failure(let mistake): preconditionFailure("the style \(mistake.style) is part of the program")
      }
    }
    let mistakes = catalog.add(files)
    precondition(mistakes.isEmpty, "the styles are part of the program")
    return catalog
  }()

  /// Reads one file, as far as JSON goes; what it says is checked by the catalogue.
  package static func read(_ bytes: UnsafeRawBufferPointer, named name: String) -> Result<StyleFile, StyleFileMistake> {
    func failure(_ member: String, _ detail: String) -> Result<StyleFile, StyleFileMistake> {
      .failure(StyleFileMistake(style: name, member: member, detail: detail))
    }
    do throws(JSONError) {
      let document = try JSONDocument(bytes)
      let root = document.root
      guard root.kind == .object else { return failure("", "is not an object") }
      for (member, _) in root.members where !["layout", "reveal", "endsOnComplete", "options"].contains(member) {
        return failure(member, "is not known here")
      }
      guard let layout = root["layout"]?.string else { return failure("layout", "is not a string") }
      for flag: StaticString in ["reveal", "endsOnComplete"] {
        if let value = root[flag], value.bool == nil { return failure("\(flag)", "is not true or false") }
      }
      let options = (root["options"]?.members ?? []).map { GivenOption($0.name, GivenValue($0.value)) }
      return .success(
        StyleFile(
          name: name, layout: layout, reveal: root["reveal"]?.bool, endsOnComplete: root["endsOnComplete"]?.bool,
          options: options))
    } catch {
      switch error {
      case .malformed(let detail): return failure("", detail)
      case .numberOutOfRange: return failure("", "has a number that is too large")
      case .noMemory: return failure("", "there is no memory to read it")
      }
    }
  }
}
