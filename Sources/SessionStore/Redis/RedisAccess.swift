/// How each connection to the servers is made.
struct RedisAccess: Sendable {
  let login: RedisLogin
  /// How long connecting may take, and each call.
  let milliseconds: Int
  /// Whether a server that is no master is no use.
  let mustBeMaster: Bool

  /// - Parameter deadline: until when whoever wants it may wait.
  func connect(
    _ places: [SocketPlace], _ endpoint: RedisEndpoint, by deadline: Deadline = .never
  ) throws(RedisError) -> RedisConnection {
    try RedisConnection(
      places, named: endpoint, login, mustBeMaster: mustBeMaster, milliseconds: milliseconds, by: deadline)
  }

  /// What it means for whoever wants a connection that there is none.
  static func failure(_ error: RedisError, _ endpoint: RedisEndpoint) -> RedisError {
    switch error {
    case .unavailable, .misconfigured: error
    case .replyLost: .unavailable("\(endpoint): no reply")
    case .refused(let failure):
      if let mistake = failure.misconfiguration {
        .misconfigured("\(endpoint): \(mistake)")
      } else {
        // Such as that it is loading.
        .unavailable("\(endpoint): \(failure.text)")
      }
    }
  }
}
