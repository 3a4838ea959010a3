/// Why a command has no result.
package enum RedisError: Error, Equatable, Sendable {
  /// Nothing was sent, so nothing has changed: Redis can't be reached, or could not be a moment ago. Has why.
  case unavailable(String)
  /// As `unavailable`, and asking again will not help: the user, the password or the kind of the address is wrong.
  case misconfigured(String)
  /// The command was sent and no reply came in time: it may have been carried out, or not, or still be.
  case replyLost
  /// Redis answered, with an error. A command that is no script has changed nothing then.
  case refused(RedisFailure)

  /// For the log.
  package var reason: String {
    switch self {
    case .unavailable(let reason), .misconfigured(let reason): reason
    case .replyLost: "no reply"
    case .refused(let failure): failure.text
    }
  }
}

/// An error that Redis answered with.
package struct RedisFailure: Equatable, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// A script is not known by this hash.
    case noScript = "NOSCRIPT"
    /// The slot belongs to another node.
    case moved = "MOVED"
    /// The slot is on its way, and this key is there already.
    case ask = "ASK"
    /// The slot is on its way, and not all keys are at the same node.
    case tryAgain = "TRYAGAIN"
    case clusterDown = "CLUSTERDOWN"
    case crossSlot = "CROSSSLOT"
    /// A replica, which takes no writes.
    case readOnly = "READONLY"
    /// A replica whose master is gone.
    case masterDown = "MASTERDOWN"
    /// Redis has started and is still reading its data.
    case loading = "LOADING"
    /// Another script runs for too long.
    case busy = "BUSY"
    case outOfMemory = "OOM"
    /// The last snapshot could not be written, so that no writes are taken.
    case misconfigured = "MISCONF"
    /// Fewer replicas are there than have to be.
    case noReplicas = "NOREPLICAS"
    case unauthenticated = "NOAUTH"
    case wrongPassword = "WRONGPASS"
    case noPermission = "NOPERM"
    case wrongType = "WRONGTYPE"
    /// What begins in another way; mostly `ERR`.
    case other = ""
  }

  package let kind: Kind
  /// All that Redis said; it may have keys in it, but no values.
  package let text: String

  /// Of one that a server answers a newcomer with, what is wrong with the configuration; nil if it may be otherwise later.
  var misconfiguration: String? {
    switch kind {
    case .unauthenticated, .wrongPassword: "refuses the user or the password: \(text)"
    case .noPermission: text
    // A password where none is known. That there are too many clients, which passes, begins with `ERR` too.
    case .other where text.hasPrefix("ERR AUTH "): "refuses the user or the password: \(text)"
    // A database that there is not, or none at all in a cluster.
    case .other: text.hasPrefix("ERR DB index") || text.hasPrefix("ERR SELECT ") ? text : nil
    case .noScript, .moved, .ask, .tryAgain, .clusterDown, .crossSlot, .readOnly, .masterDown, .loading, .busy,
      .outOfMemory, .misconfigured, .noReplicas, .wrongType:
      nil
    }
  }

  package init(_ text: String) {
    let code = text.prefix { $0 != " " }
    kind = code.isEmpty ? .other : Kind(rawValue: String(code)) ?? .other
    self.text = text
  }
}
