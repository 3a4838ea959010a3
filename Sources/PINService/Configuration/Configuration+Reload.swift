extension Configuration {
  /// What holds after `new` was read while the program runs with this one: settings that are only looked at when it
  /// starts stay as they are.
  ///
  /// - Returns: what holds, and the names of those that were to be changed and can't be.
  package func reloaded(_ new: Configuration) -> (configuration: Configuration, unchangeable: [String]) {
    var result = new
    var names: [String] = []
    for setting in Setting.all where !setting.isReloadable && setting.copy(from: self, to: &result) {
      names.append(setting.name)
    }
    return (result, names)
  }
}

extension Setting {
  /// Gives `target` the value of `source`; whether it was another.
  fileprivate func copy(from source: Configuration, to target: inout Configuration) -> Bool {
    switch kind {
    case .number(let path, _): Self.copy(path, from: source, to: &target)
    case .text(let path, _): Self.copy(path, from: source, to: &target)
    case .list(let path): Self.copy(path, from: source, to: &target)
    case .keys(let path): Self.copy(path, from: source, to: &target)
    case .flag(let path): Self.copy(path, from: source, to: &target)
    }
  }

  private static func copy<Value: Equatable>(
    _ path: WritableKeyPath<Configuration, Value>, from source: Configuration, to target: inout Configuration
  ) -> Bool {
    guard source[keyPath: path] != target[keyPath: path] else { return false }
    target[keyPath: path] = source[keyPath: path]
    return true
  }
}
