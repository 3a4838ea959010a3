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
      case "--config": configurationFile = value(of: name, inline, &rest)
      case "--listen": listen = value(of: name, inline, &rest)
      case "--store": store = value(of: name, inline, &rest)
      case _ where inline != nil && Self.withoutValue.contains(name): mistakes.append("\(name): takes no value")
      case "--check-config": action = .checkConfiguration
      case "--print-config": action = .printConfiguration
      case "--version": action = .printVersion
      case "--help", "-h": action = .printHelp
      case "--health": action = .checkHealth
      default: mistakes.append("\(name): there is no such option; --help names them")
      }
    }
  }

  private static let withoutValue = [
    "--check-config", "--print-config", "--version", "--help", "-h", "--health",
  ]

  private mutating func value(of name: String, _ inline: String?, _ rest: inout ArraySlice<String>) -> String? {
    if let value = inline ?? rest.popFirst() { return value }
    mistakes.append("\(name): needs a value")
    return nil
  }
}
