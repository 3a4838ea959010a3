/// The variables that are settings, as they were when the program started. Of keys it has only the hashes, so that the
/// variables themselves can be wiped, and the configuration still be read again.
package struct Environment: Sendable {
  let variables: [(name: String, value: Value)]

  enum Value: Sendable {
    case text(String)
    /// nil: it can't be a key.
    case keys([APIKey?])

    /// Whether there is nothing in it.
    var isEmpty: Bool {
      switch self {
      case .text(let text): text.isEmpty
      case .keys(let keys): keys.isEmpty
      }
    }
  }

  /// Takes those that begin with `PINPAD_`.
  package init(_ variables: [(name: String, value: String)]) {
    self.variables = variables.filter { $0.name.hasPrefix("PINPAD_") }.map { name, value in
      (name, Self.holdsKeys(name) ? .keys(ConfigurationReader.list(value).map { APIKey($0) }) : .text(value))
    }
  }

  /// Whether a variable of this name is to be wiped once it has been read: it has keys, or may have a Redis's password.
  package static func holdsSecrets(_ name: String) -> Bool { holdsKeys(name) || name == "PINPAD_STORE" }

  private static func holdsKeys(_ name: String) -> Bool {
    Setting.all.contains { setting in
      guard case .keys = setting.kind else { return false }
      return setting.variable == name
    }
  }
}
