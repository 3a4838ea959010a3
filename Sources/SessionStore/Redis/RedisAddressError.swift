/// What is wrong with a `RedisAddress`; no text of it, which may have a password.
package enum RedisAddressError: Error, Equatable, Sendable, CaseIterable, CustomStringConvertible {
  case scheme, tls, noHost, severalHosts, port, database, databaseInCluster, encoding, noSocketPath, noMasterName
  case extraPath, query, userWithoutPassword

  package var description: String {
    switch self {
    case .scheme: "is not memory, redis://, redis+unix://, redis+sentinel:// or redis+cluster://"
    case .tls:
      "TLS is not spoken: let stunnel or another TLS proxy on this machine connect to Redis, and give redis:// with "
        + "the proxy's own address"
    case .noHost: "has no host where there should be one"
    case .severalHosts: "redis:// has one host; for several there are redis+sentinel:// and redis+cluster://"
    case .port: "a port is not a number from 1 to 65535"
    case .database: "the database is not a number from 0 to 65535"
    case .databaseInCluster: "a cluster has no databases"
    case .encoding: "a % is not followed by two hexadecimal digits, or what they encode is not UTF-8"
    case .noSocketPath: "redis+unix:// has a path and no host, as in redis+unix:///run/redis/redis.sock"
    case .noMasterName: "redis+sentinel:// needs the master's name, as in redis+sentinel://HOST:26379/NAME"
    case .extraPath: "the path has too many parts"
    case .query: "has a query with names that don't belong there"
    case .userWithoutPassword: "has a user without a password"
    }
  }
}
