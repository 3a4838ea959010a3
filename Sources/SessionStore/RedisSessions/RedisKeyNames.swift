/// What nodes leave in Redis of their keys, so that one with others is told: never more than the keys' names. It is one
/// sorted set, by the time at which a node with those keys was last there.
struct RedisKeyNames: Sendable {
  let link: RedisLink

  init(_ link: RedisLink) { self.link = link }

  private static var key: RedisArgument { "pinpad:keys" }
  private static let slot = RedisSlot(key: "pinpad:keys")
  /// How long a text may be kept at most, in ms: the longest `total`.
  private static let longest: Int64 = 86_400_000
  /// How often each node says that it is there, in ms.
  static let interval: Int64 = 20_000

  /// What was there at one moment.
  struct Seen: Equatable, Sendable {
    /// Redis's, in ms, though only whole seconds.
    let time: Int64
    /// Each with when it was last left.
    let left: [Left]

    struct Left: Equatable, Sendable {
      let keys: NodeKeys
      let at: Int64
    }

    /// Those of nodes that run. Others may have ended before `start` as well, as when all are restarted one after the
    /// other; what was left since then is of one that has not. One that was not heard of for three minutes is gone.
    func living(since start: Int64) -> [NodeKeys] { left.filter { $0.at > max(start, time - 180_000) }.map(\.keys) }

    /// Those of nodes whose sessions may still be there.
    var past: [NodeKeys] { left.filter { $0.at > time - RedisKeyNames.longest }.map(\.keys) }
  }

  func look() throws(RedisError) -> Seen {
    let replies = try link.pipeline([["TIME"], ["ZRANGE", Self.key, "0", "-1", "WITHSCORES"]], at: Self.slot)
    return try replies.withValues { values throws(RedisError) in
      if let failure = values.lazy.compactMap(\.failure).first { throw .refused(failure) }
      return Seen(time: Self.time(values[0]), left: Self.read(values[1]))
    }
  }

  /// In ms; Redis answers in seconds and microseconds.
  private static func time(_ value: RedisValue) -> Int64 { (value[0]?.text.flatMap { Int64($0) } ?? 0) * 1000 }

  private static func read(_ value: RedisValue) -> [Seen.Left] {
    let words = value.elements.map { $0.text ?? "" }
    return stride(from: 0, to: words.count - 1, by: 2).compactMap { index in
      guard let keys = NodeKeys(words[index]), let at = Double(words[index + 1]) else { return nil }
      return Seen.Left(keys: keys, at: Int64(at))
    }
  }

  /// Says that a node with these keys is there.
  func leave(_ keys: NodeKeys) throws(RedisError) {
    let now = try link.command(["TIME"], at: Self.slot).withValue { Self.time($0) }
    let replies = try link.pipeline(
      [
        ["ZADD", Self.key, .number(now), .text(keys.text)],
        ["ZREMRANGEBYSCORE", Self.key, "-inf", .number(now - Self.longest)],
        ["PEXPIRE", Self.key, .number(Self.longest)],
      ], at: Self.slot)
    let failure = replies.withValues { values in values.lazy.compactMap(\.failure).first }
    if let failure { throw .refused(failure) }
  }
}
