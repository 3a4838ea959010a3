import SessionStore
package import WipingBuffer

extension Configuration {
  /// Writes all settings as the configuration file has them, keys masked.
  package func write(to out: inout Bytes) {
    var section = ""
    out.append("{")
    for (index, setting) in Setting.all.enumerated() {
      let parts = setting.name.split(separator: ".")
      let name = String(parts.last ?? "")
      let newSection = parts.count > 1 ? String(parts[0]) : ""
      if newSection != section && !section.isEmpty { out.append("\n  }") }
      if index > 0 { out.append(",") }
      if newSection != section && !newSection.isEmpty {
        out.append("\n  ")
        out.appendJSON(newSection)
        out.append(": {")
      }
      // The comma of a section's first member stands before the section.
      section = newSection
      out.append(section.isEmpty ? "\n  " : "\n    ")
      out.appendJSON(name)
      out.append(": ")
      write(setting, to: &out)
    }
    if !section.isEmpty { out.append("\n  }") }
    out.append("\n}\n")
  }

  private func write(_ setting: Setting, to out: inout Bytes) {
    switch setting.kind {
    case .number(let path, _): out.append(decimal: self[keyPath: path])
    // It may have a password.
    case .text(\.store, _): out.appendJSON(maskedStore)
    case .text(let path, _): out.appendJSON(self[keyPath: path])
    case .flag(let path): out.append(self[keyPath: path])
    case .list(let path): write(self[keyPath: path], to: &out)
    case .keys(let path): write(self[keyPath: path].map { _ in "***" }, to: &out)
    }
  }

  private func write(_ texts: [String], to out: inout Bytes) {
    out.append("[")
    for (index, text) in texts.enumerated() {
      if index > 0 { out.append(", ") }
      out.appendJSON(text)
    }
    out.append("]")
  }

  private var maskedStore: String {
    guard usesRedis else { return store }
    return (try? RedisAddress(store))?.description ?? "***"
  }

  /// The settings as lines of help.
  package static var help: String {
    Setting.all.map { setting in
      "  \(setting.name)\n      \(setting.variable): \(setting.summary)"
    }.joined(separator: "\n")
  }
}
