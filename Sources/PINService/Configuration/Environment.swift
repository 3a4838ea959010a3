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

  /// Takes those that begin with `PINPAD_`, without those that Kubernetes sets.
  package init(_ variables: [(name: String, value: String)]) {
    let ours = variables.filter { $0.name.hasPrefix("PINPAD_") && !Self.isKubernetes($0.name) }
    self.variables = ours.map { name, value in
      (name, Self.holdsKeys(name) ? .keys(ConfigurationReader.list(value).map { APIKey($0) }) : .text(value))
    }
  }

  /// Whether Kubernetes sets a variable of this name in each container, once there is a Service that is called `pinpad`:
  /// where that is, in its own way and in that of Docker's links.
  static func isKubernetes(_ name: String) -> Bool {
    name.hasPrefix("PINPAD_SERVICE_") || name == "PINPAD_PORT" || name.hasPrefix("PINPAD_PORT_")
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
