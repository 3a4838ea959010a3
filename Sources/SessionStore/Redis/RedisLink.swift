internal import Glibc

/// The program's link to its Redis, whether that is one server, a master that sentinels know, or a cluster. May be
/// called from any thread, each of which waits for its own reply.
///
/// A call takes a time-out or two at most, and mostly one round trip. It fails at once while the server it needs is
/// known to be down; then a thread of the link's own looks after it, and all go on by themselves when it is back.
package final class RedisLink: Sendable {
  private let keeper: RedisKeeper
  private let thread: OwnThread
  private let milliseconds: Int
  /// Whether it is a cluster, which has its slots on several servers.
  let isCluster: Bool

  /// Looks at the servers, and fails if they can't be used now.
  /// - Parameters:
  ///   - milliseconds: how long connecting may take, and each call.
  ///   - log: is told, in a line each, that servers are down or up again; on any thread.
  package init(
    _ address: RedisAddress, milliseconds: Int = 250, log: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(RedisError) {
    self.milliseconds = milliseconds
    isCluster = if case .cluster = address.servers { true } else { false }
    let keeper = RedisKeeper(address, milliseconds: milliseconds, log)
    try keeper.look()
    self.keeper = keeper
    thread = OwnThread { keeper.run() }
    try ping()
  }

  deinit {
    keeper.stop()
    thread.join()
  }

  /// Sends a command and waits for its reply; an error that Redis answers with is thrown.
  /// - Parameter slot: that of the command's keys; any if it has none.
  package func command(_ arguments: [RedisArgument], at slot: RedisSlot) throws(RedisError) -> RedisReply {
    try call(slot) { connection throws(RedisError) in try connection.command(arguments) }
  }

  /// Runs a script.
  /// - Parameter slot: that of all keys.
  package func eval(
    _ script: RedisScript, keys: [RedisArgument], arguments: [RedisArgument], at slot: RedisSlot
  ) throws(RedisError) -> RedisReply {
    try call(slot) { connection throws(RedisError) in
      try connection.eval(script, keys: keys, arguments: arguments)
    }
  }

  /// Sends several commands in one write, and waits for all their replies. Errors that Redis answers with are among
  /// them. If one is sent to another node, all are repeated there: so it is for commands that may be.
  /// - Parameter slot: that of all keys.
  package func pipeline(_ commands: [[RedisArgument]], at slot: RedisSlot) throws(RedisError) -> RedisReplies {
    try call(slot) { connection throws(RedisError) in
      let replies = try connection.pipeline(commands)
      let failure = replies.withValues { values in values.lazy.compactMap(\.failure).first { $0.kind.isAboutNode } }
      if let failure { throw .refused(failure) }
      return replies
    }
  }

  /// Asks each server whether it is there; throws if one is not.
  package func ping() throws(RedisError) {
    for node in keeper.nodes {
      _ = try call(node) { connection throws(RedisError) in try connection.command(["PING"]) }
    }
  }

  /// Calls `body` with a connection to each server.
  func forEachServer(_ body: (RedisConnection, RedisEndpoint) throws(RedisError) -> Void) throws(RedisError) {
    for node in keeper.nodes {
      try call(node) { connection throws(RedisError) in try body(connection, node.endpoint) }
    }
  }

  /// Tells the log.
  func say(_ text: String) { keeper.say(text) }

  /// The servers that are up.
  var endpoints: [RedisEndpoint] { keeper.nodes.filter { $0.trouble == nil }.map(\.endpoint) }

  /// A connection for the caller to keep. May take as long as looking up a name.
  func connect(to endpoint: RedisEndpoint) throws(RedisError) -> RedisConnection {
    try keeper.access.connect(endpoint.resolved(), endpoint)
  }

  // MARK: Calling

  /// Calls whoever has the slot, and follows it if it has moved.
  private func call<R: ~Copyable>(
    _ slot: RedisSlot, _ body: (RedisConnection) throws(RedisError) -> R
  ) throws(RedisError) -> R {
    let deadline = Deadline.after(milliseconds: milliseconds * 2)
    var node = try keeper.node(for: slot)
    var isAsking = false
    while true {
      let failure: RedisFailure
      do throws(RedisError) {
        return try call(node, isAsking: isAsking, body)
      } catch {
        guard case .refused(let refused) = error, refused.kind.isAboutNode else { throw error }
        failure = refused
      }
      // Nothing was carried out, so nothing is doubled.
      guard !deadline.isOver else { throw .unavailable(failure.text) }
      isAsking = false
      switch RedisRedirection(failure, from: node.endpoint) {
      case let to? where failure.kind == .ask:
        node = keeper.node(at: to.endpoint)
        isAsking = true
      case let to?:
        node = keeper.node(at: to.endpoint)
        keeper.move(to.slot, to: node)
      case nil:
        try waitOut(failure, node)
      }
    }
  }

  /// Waits a little if that may help.
  private func waitOut(_ failure: RedisFailure, _ node: RedisNode) throws(RedisError) {
    switch failure.kind {
    case .tryAgain: usleep(10_000)
    case .clusterDown:
      keeper.lookSoon()
      throw .unavailable("\(node.endpoint): \(failure.text)")
    default:
      let reason = "\(node.endpoint): \(failure.text)"
      node.markDown(reason)
      throw .unavailable(reason)
    }
  }

  /// Calls one server. A connection that turns out to be closed before anything was sent is replaced by another.
  private func call<R: ~Copyable>(
    _ node: RedisNode, isAsking: Bool = false, _ body: (RedisConnection) throws(RedisError) -> R
  ) throws(RedisError) -> R {
    var isAgain = false
    while true {
      let connection = try node.take()
      connection.isAsking = isAsking
      do throws(RedisError) {
        let result = try body(connection)
        connection.isAsking = false
        node.giveBack(connection)
        return result
      } catch {
        connection.isAsking = false
        node.giveBack(connection)
        if connection.isLate { node.markDown("\(node.endpoint): no reply within \(milliseconds) ms") }
        guard case .unavailable = error, !connection.isUsable, !connection.isLate, !isAgain else { throw error }
        isAgain = true
      }
    }
  }
}

extension RedisFailure.Kind {
  /// Whether another node has to be asked, or this one later, and nothing was carried out.
  var isAboutNode: Bool {
    switch self {
    case .moved, .ask, .tryAgain, .clusterDown, .readOnly, .masterDown, .loading: true
    case .noScript, .crossSlot, .busy, .outOfMemory, .misconfigured, .noReplicas, .unauthenticated, .wrongPassword,
      .noPermission, .wrongType, .other:
      false
    }
  }
}
