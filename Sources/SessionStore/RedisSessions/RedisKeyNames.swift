/// What nodes leave in Redis of their keys, so that one with others is told: never more than the keys' names. It is one
/// sorted set, by the time at which a node with those keys was last there.
package struct RedisKeyNames: Sendable {
  private let link: RedisLink
  private let own: NodeKeys

  private static var key: RedisArgument { "pinpad:keys" }
  private static let slot = RedisSlot(key: "pinpad:keys")
  /// How long a text may be kept at most, in ms: the longest `total`.
  private static let longest: Int64 = 86_400_000
  /// How often each node says that it is there, in ms.
  static let interval: Int64 = 60_000

  package init(_ link: RedisLink, _ ring: KeyRing) {
    self.link = link
    own = NodeKeys(ring)
  }

  /// How the keys of others differ from this node's.
  ///
  /// - Parameter isStarting: whether sessions of nodes that are not there any more count too.
  package func look(isStarting: Bool) throws(RedisError) -> [KeyDifference] {
    let replies = try link.pipeline([["TIME"], ["ZRANGE", Self.key, "0", "-1", "WITHSCORES"]], at: Self.slot)
    let (now, seen) = try replies.withValues { values throws(RedisError) in
      if let failure = values.lazy.compactMap(\.failure).first { throw .refused(failure) }
      return (Self.time(values[0]), Self.read(values[1]))
    }
    func keys(of last: Int64) -> [NodeKeys] { seen.filter { $0.at > now - last }.map(\.keys) }
    // One that was not heard of twice is gone.
    return own.differences(living: keys(of: Self.interval * 3), past: isStarting ? keys(of: Self.longest) : [])
  }

  /// In ms; Redis answers in seconds and microseconds.
  private static func time(_ value: RedisValue) -> Int64 { (value[0]?.text.flatMap { Int64($0) } ?? 0) * 1000 }

  private static func read(_ value: RedisValue) -> [(keys: NodeKeys, at: Int64)] {
    let words = value.elements.map { $0.text ?? "" }
    return stride(from: 0, to: words.count - 1, by: 2).compactMap { index in
      guard let keys = NodeKeys(words[index]), let at = Double(words[index + 1]) else { return nil }
      return (keys, Int64(at))
    }
  }

  /// Says that this node is there.
  package func leave() throws(RedisError) {
    let now = try link.command(["TIME"], at: Self.slot).withValue { Self.time($0) }
    let replies = try link.pipeline(
      [
        ["ZADD", Self.key, .number(now), .text(own.text)],
        ["ZREMRANGEBYSCORE", Self.key, "-inf", .number(now - Self.longest)],
        ["PEXPIRE", Self.key, .number(Self.longest)],
      ], at: Self.slot)
    let failure = replies.withValues { values in values.lazy.compactMap(\.failure).first }
    if let failure { throw .refused(failure) }
  }
}
