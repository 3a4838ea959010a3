/// The names of the keys that a node has (`SealingKey.name`), the one it seals with first, as it leaves them in Redis.
struct NodeKeys: Equatable, Sendable {
  let names: [UInt64]

  init(_ ring: KeyRing) { names = ring.sealing.map(\.name) }

  /// - Parameter text: such as `1f3a09c2b7d4e865,00f1…`; nil if it's another.
  init?(_ text: some StringProtocol) {
    var names: [UInt64] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let name = UInt64(word, radix: 16) else { return nil }
      names.append(name)
    }
    self.names = names
  }

  var text: String { names.map { String($0, radix: 16) }.joined(separator: ",") }

  private var current: UInt64? { names.first }

  /// What it means that others have, or had, other keys.
  ///
  /// - Parameters:
  ///   - living: those of nodes that run.
  ///   - past: those of nodes whose sessions may still be there.
  func differences(living: [NodeKeys], past: [NodeKeys]) -> [KeyDifference] {
    var differences: [KeyDifference] = []
    let sealing = Set((living + past).compactMap(\.current))
    if !sealing.isEmpty && sealing.isDisjoint(with: names) {
      differences.append(.opensNothing)
    } else if !sealing.isSubset(of: names) {
      differences.append(.opensSome)
    }
    if let current, living.contains(where: { !$0.names.contains(current) }) { differences.append(.isNotOpened) }
    return differences
  }
}

/// How the keys of other nodes differ from this one's.
package enum KeyDifference: Equatable, Hashable, Sendable {
  /// None of their sessions can be opened here.
  case opensNothing
  /// Some can't.
  case opensSome
  /// What is sealed here can't be opened by all of them.
  case isNotOpened

  /// For the log.
  package var description: String {
    switch self {
    case .opensNothing:
      "redis.keyFile has none of the keys that the sessions of the last day are sealed with, so none of them can be "
        + "opened here: use the file of the other nodes, or, if all those may be lost, set redis.allowLoss to true"
    case .opensSome:
      "redis.keyFile lacks a key that sessions of the last day are sealed with: they can't be opened here"
    case .isNotOpened:
      "another node lacks the first key of redis.keyFile, and can't open what is sealed here: all nodes need it as "
        + "their second key before it is anybody's first"
    }
  }
}
