/// What is looked at before the store is used.
package enum RedisChecks {
  package enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// A server can't be asked.
    case notAsked(String)
    /// A server would not do.
    case objections(RedisEndpoint, [RedisObjection])

    package var description: String {
      switch self {
      case .notAsked(let reason): reason
      case .objections(let endpoint, let objections):
        "\(endpoint): \(objections.map(\.description).joined(separator: "; "))"
      }
    }
  }

  /// Looks at all servers that have slots; returns what was found, in a line without an end.
  /// - Parameter allowLoss: whether servers are taken too that may lose sessions without a word.
  package static func run(_ link: RedisLink, allowLoss: Bool) throws(Failure) -> String {
    var found: [(endpoint: RedisEndpoint, findings: RedisFindings)] = []
    do throws(RedisError) {
      try link.forEachServer { connection, endpoint throws(RedisError) in
        found.append((endpoint, RedisFindings(info: try connection.command(["INFO"]).text ?? "")))
      }
    } catch {
      switch error {
      case .unavailable(let reason): throw .notAsked(reason)
      case .replyLost: throw .notAsked("no reply")
      case .refused(let failure): throw .notAsked(failure.text)
      }
    }
    for (endpoint, findings) in found {
      let objections = findings.objections(isCluster: link.isCluster, allowLoss: allowLoss)
      guard objections.isEmpty else { throw .objections(endpoint, objections) }
    }
    return found.map { "\($0.endpoint): \($0.findings.description)" }.joined(separator: "; ")
  }
}
