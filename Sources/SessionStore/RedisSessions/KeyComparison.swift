/// Compares the names of this node's keys with those that other nodes leave in Redis, at its start and then again and
/// again. What it finds it says once, and again only if it has been gone in between.
package struct KeyComparison: Sendable {
  private let own: NodeKeys
  private let names: RedisKeyNames
  /// Redis's time at the first look, in ms; nil before.
  private var start: Int64?
  private var told: Set<KeyDifference> = []

  package init(_ link: RedisLink, _ ring: KeyRing) {
    own = NodeKeys(ring)
    names = RedisKeyNames(link)
  }

  /// How the keys of others differ from this node's, as far as that has not been told yet.
  package mutating func look() throws(RedisError) -> [KeyDifference] {
    let seen = try names.look()
    let start = start ?? seen.time
    self.start = start
    let differences = own.differences(living: seen.living(since: start), past: seen.past)
    defer {
      let openedNothing = told.contains(.opensNothing)
      told = Set(differences)
      // Once its own are among those that were left, that it can open nothing is no more than that it can't open some.
      if openedNothing && told.contains(.opensSome) { told.insert(.opensNothing) }
    }
    return differences.filter { difference in
      switch difference {
      case .opensSome: told.isDisjoint(with: [.opensSome, .opensNothing])
      case .opensNothing, .isNotOpened: !told.contains(difference)
      }
    }
  }

  /// Says that this node is there.
  package func leave() throws(RedisError) { try names.leave(own) }
}
