/// Why a server is not used.
package enum RedisObjection: Equatable, Sendable, CustomStringConvertible {
  case version(String)
  case cluster
  case eviction(String)
  case persistence

  package var description: String {
    switch self {
    case .version(let name): "\(name) is too old: Redis 7.0 or Valkey is needed"
    case .cluster: "it is a node of a cluster: give redis+cluster:// as its address"
    case .eviction(let policy):
      "its maxmemory-policy is \(policy), which drops sessions when memory is short: set it to noeviction, "
        + "or redis.allowLoss to true"
    case .persistence:
      "it has no append-only file, so a restart loses sessions without a word: set appendonly to yes, "
        + "or redis.allowLoss to true"
    }
  }
}
