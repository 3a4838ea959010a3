/// Where the store's Redis is and how to log in, as the setting says it:
///
///     redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]
///     redis+unix://[USER:PASSWORD@]/PATH[?db=DATABASE]
///     redis+sentinel://[USER:PASSWORD@]HOST[:PORT],HOST[:PORT]…/NAME[/DATABASE][?sentinelUser=…&sentinelPassword=…]
///     redis+cluster://[USER:PASSWORD@]HOST[:PORT],HOST[:PORT]…
///
/// Users, passwords, names, paths and values may have percent-encoded characters (RFC 3986, 2.1); an IPv6 address is in
/// brackets. `:PASSWORD@` alone is for the user `default`.
package struct RedisAddress: Equatable, Sendable, CustomStringConvertible {
  package enum Servers: Equatable, Sendable {
    /// One server.
    case one(RedisEndpoint)
    /// The sentinels that know which server is the master of that name.
    case sentinels([RedisEndpoint], master: String)
    /// Some nodes of a cluster, which know the others.
    case cluster([RedisEndpoint])
  }

  package let servers: Servers
  /// For the servers themselves.
  package let login: RedisLogin
  /// For the sentinels.
  package let sentinelLogin: RedisLogin

  /// Without passwords.
  package var description: String {
    let credentials = login.password == nil ? "" : "\(login.user ?? ""):***@"
    let database = login.database == 0 ? "" : String(login.database)
    switch servers {
    case .one(.unix(let path)):
      return "redis+unix://\(credentials)\(path)" + (database.isEmpty ? "" : "?db=\(database)")
    case .one(let server): return "redis://\(credentials)\(server)" + (database.isEmpty ? "" : "/\(database)")
    case .sentinels(let sentinels, let master):
      return "redis+sentinel://\(credentials)\(Self.list(sentinels))/\(master)"
        + (database.isEmpty ? "" : "/\(database)")
    case .cluster(let nodes): return "redis+cluster://\(credentials)\(Self.list(nodes))"
    }
  }

  private static func list(_ endpoints: [RedisEndpoint]) -> String {
    endpoints.map(\.description).joined(separator: ",")
  }

  package init(_ text: String) throws(RedisAddressError) {
    let parts = try AddressParts(text)
    var login = parts.login
    switch parts.scheme {
    case "redis":
      guard let host = parts.hosts.first, parts.hosts.count == 1 else { throw .severalHosts }
      servers = .one(try parts.endpoint(host, defaultPort: 6379))
      guard parts.path.count <= 1 else { throw .extraPath }
      login.database = try parts.database(parts.path.first)
      try parts.allow([])
    case "redis+unix":
      guard parts.hosts.allSatisfy(\.isEmpty), !parts.path.isEmpty else { throw .noSocketPath }
      servers = .one(.unix(path: "/" + parts.path.joined(separator: "/")))
      login.database = try parts.database(parts.query["db"])
      try parts.allow(["db"])
    case "redis+sentinel":
      guard let master = parts.path.first, !master.isEmpty else { throw .noMasterName }
      guard parts.path.count <= 2 else { throw .extraPath }
      servers = .sentinels(try parts.endpoints(defaultPort: 26379), master: master)
      login.database = try parts.database(parts.path.count == 2 ? parts.path[1] : nil)
      try parts.allow(["sentinelUser", "sentinelPassword"])
    case "redis+cluster":
      servers = .cluster(try parts.endpoints(defaultPort: 6379))
      guard parts.path.allSatisfy(\.isEmpty) else { throw .databaseInCluster }
      try parts.allow([])
    case "rediss", "rediss+sentinel", "rediss+cluster": throw .tls
    default: throw .scheme
    }
    self.login = login
    sentinelLogin = RedisLogin(user: parts.query["sentinelUser"], password: parts.query["sentinelPassword"])
  }
}
