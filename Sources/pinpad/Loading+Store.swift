import PINEntry
import PINService
import SessionStore

extension Loading {
  /// The store that the configuration names, ready for use.
  ///
  /// - Parameter onDeadline: is told when the store's timers have to run earlier than it said.
  func store(_ log: Log, onDeadline: @escaping @Sendable (Instant) -> Void) throws -> any SessionStore {
    let configuration = reader.configuration
    let lock = MemoryLock(rawValue: configuration.memoryLock) ?? .preferred
    guard configuration.usesRedis, let ring else {
      return try MemorySessionStore(
        maximum: configuration.sessions, memoryLock: lock, grid: configuration.watchGrid, onDeadline: onDeadline)
    }
    let link = try RedisLink(RedisAddress(configuration.store), milliseconds: configuration.redisPatience) {
      log.say(.warning, $0)
    }
    let allowLoss = configuration.redisAllowLoss
    log.say(.info, "store: " + (try RedisChecks.run(link, allowLoss: allowLoss)))
    if let warning = try RedisChecks.tryOut(link) { log.say(.warning, warning) }
    var comparison = KeyComparison(link, ring)
    for warning in try RedisChecks.compareKeys(&comparison, allowLoss: allowLoss) { log.say(.warning, warning) }
    if let warning = Files.readers(of: configuration.redisKeyFile) { log.say(.warning, "redis.keyFile: " + warning) }
    return try RedisSessionStore(
      link, ring, maximum: configuration.sessions, memoryLock: lock, grid: configuration.watchGrid,
      comparison: comparison, onTrouble: { log.say(.error, $0) })
  }
}
