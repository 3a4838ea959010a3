/// How each connection to the servers is made.
struct RedisAccess: Sendable {
  let login: RedisLogin
  /// How long connecting may take, and each call.
  let milliseconds: Int
  /// Whether a server that is no master is no use.
  let mustBeMaster: Bool

  func connect(_ places: [SocketPlace], _ endpoint: RedisEndpoint) throws(RedisError) -> RedisConnection {
    let connection = try RedisConnection(places, named: endpoint, login, milliseconds: milliseconds)
    if mustBeMaster { try check(connection, endpoint) }
    return connection
  }

  private func check(_ connection: RedisConnection, _ endpoint: RedisEndpoint) throws(RedisError) {
    do throws(RedisError) {
      let role = try connection.command(["ROLE"]).withValue { $0[0]?.text }
      guard role == "master" else { throw .unavailable("\(endpoint): is no master") }
    } catch {
      // Who may not ask finds out when the first write is refused.
      guard case .refused(let failure) = error, failure.kind == .noPermission else { throw error }
    }
  }

  /// What went wrong, for people.
  /// - Parameter endpoint: who it was about, if it doesn't say so itself.
  func text(_ error: RedisError, _ endpoint: RedisEndpoint? = nil) -> String {
    let place = endpoint.map { "\($0): " } ?? ""
    return switch error {
    case .unavailable(let reason): reason
    case .replyLost: place + "no reply"
    case .refused(let failure): place + failure.text
    }
  }
}
