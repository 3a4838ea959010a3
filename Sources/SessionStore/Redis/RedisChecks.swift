/// What is looked at before the store is used.
package enum RedisChecks {
  package enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// A server refuses to be asked.
    case notAsked(String)
    /// A server would not do.
    case objections(RedisEndpoint, [RedisObjection])
    /// Its user may not do all that is needed.
    case mayNot(String)
    /// Nothing that is in it could be opened.
    case keys(KeyDifference)

    package var description: String {
      switch self {
      case .notAsked(let reason): reason
      case .objections(let endpoint, let objections):
        "\(endpoint): \(objections.map(\.description).joined(separator: "; "))"
      case .mayNot(let what): "its user may not do all that is needed: \(what)"
      case .keys(let difference): difference.description
      }
    }
  }

  /// Looks at all servers that have slots; returns what was found, in a line without an end.
  /// - Parameter allowLoss: whether servers are taken too that may lose sessions without a word.
  ///
  /// Throws `Failure`, or `RedisError` if a server is away.
  package static func run(_ link: RedisLink, allowLoss: Bool) throws -> String {
    var found: [(endpoint: RedisEndpoint, findings: RedisFindings)] = []
    do throws(RedisError) {
      try link.forEachServer { connection, endpoint throws(RedisError) in
        found.append((endpoint, RedisFindings(info: try connection.command(["INFO"]).text ?? "")))
      }
    } catch {
      guard case .refused(let failure) = error else { throw error }
      throw Failure.notAsked(failure.text)
    }
    for (endpoint, findings) in found {
      let objections = findings.objections(isCluster: link.isCluster, allowLoss: allowLoss)
      guard objections.isEmpty else { throw Failure.objections(endpoint, objections) }
    }
    return found.map { "\($0.endpoint): \($0.findings.description)" }.joined(separator: "; ")
  }

  /// Does once what sessions need.
  /// - Returns: what the log is to be told; nil if all went well.
  package static func tryOut(_ link: RedisLink) throws(Failure) -> String? {
    do throws(RedisError) {
      try RedisTrial(link: link).run()
      return nil
    } catch {
      switch error {
      case .refused(let failure) where failure.kind == .noPermission || failure.kind == .other:
        throw .mayNot(failure.text)
      // Such as one that is full, which says so for each edit too.
      case .refused, .unavailable, .misconfigured, .replyLost: return "redis takes no edits now: \(error.reason)"
      }
    }
  }

  /// Compares the keys of this node with those of others, for the first time, and leaves them for others to compare.
  /// - Parameter allowLoss: whether this node may have none of those that sessions are sealed with.
  /// - Returns: what the log is to be told.
  package static func compareKeys(
    _ comparison: inout KeyComparison, allowLoss: Bool
  ) throws(Failure) -> [String] {
    var differences: [KeyDifference] = []
    var trouble: [String] = []
    do throws(RedisError) {
      differences = try comparison.look()
      // One that is refused must not be found here by the others.
      if allowLoss || !differences.contains(.opensNothing) { try comparison.leave() }
    } catch {
      // Of a Redis that is full, or a user who may not.
      trouble = ["the keys of other nodes can't be compared: \(error.reason)"]
    }
    guard allowLoss || !differences.contains(.opensNothing) else { throw .keys(.opensNothing) }
    return differences.map(\.description) + trouble
  }
}
