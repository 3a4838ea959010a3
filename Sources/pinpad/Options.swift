/// What the command line asks for.
struct Options: Equatable {
  enum Action: Equatable {
    case serve, checkConfiguration, printConfiguration, printVersion, printHelp, checkHealth
  }

  var action = Action.serve
  var configurationFile: String?
  var listen: String?
  var store: String?
  /// All that is wrong with it.
  var mistakes: [String] = []

  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = parts.first ?? ""
      let inline = parts.count > 1 ? parts[1] : nil
      switch name {
      case "--config": take(\.configurationFile, name, inline, &rest)
      case "--listen": take(\.listen, name, inline, &rest)
      case "--store": take(\.store, name, inline, &rest)
      case _ where inline != nil && Self.withoutValue.contains(name): mistakes.append("\(name): takes no value")
      case "--check-config": take(.checkConfiguration, name)
      case "--print-config": take(.printConfiguration, name)
      case "--version": take(.printVersion, name)
      case "--help", "-h": take(.printHelp, name)
      case "--health": take(.checkHealth, name)
      default: mistakes.append("\(name): there is no such option; --help names them")
      }
    }
  }

  private static let withoutValue = [
    "--check-config", "--print-config", "--version", "--help", "-h", "--health",
  ]

  /// Takes an option's value, once: of two, nobody could say which is meant.
  private mutating func take(
    _ path: WritableKeyPath<Options, String?>, _ name: String, _ inline: String?, _ rest: inout ArraySlice<String>
  ) {
    guard let value = inline ?? rest.popFirst() else { return mistakes.append("\(name): needs a value") }
    if self[keyPath: path] != nil { mistakes.append("\(name): is there twice") }
    self[keyPath: path] = value
  }

  private mutating func take(_ action: Action, _ name: String) {
    if self.action == action { mistakes.append("\(name): is there twice") }
    if self.action != action && self.action != .serve {
      mistakes.append("\(name): does not go with another option that says what to do")
    }
    self.action = action
  }
}
