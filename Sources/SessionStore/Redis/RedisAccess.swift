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
