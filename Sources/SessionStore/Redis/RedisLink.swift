internal import Glibc

/// The program's link to its Redis, whether that is one server, a master that sentinels know, or a cluster. May be
/// called from any thread, each of which waits for its own reply.
///
/// A call is mostly one round trip. Each of its steps has a time-out, and all of them, such as connecting, being sent to
/// another server, sending a script, end by the call's deadline, which several calls of one request share. It fails at
/// once while the server it needs is known to be down; then a thread of the link's own looks after it, and all go on by
/// themselves when it is back.
package final class RedisLink: Sendable {
  private let keeper: RedisKeeper
  private let thread: OwnThread
  private let milliseconds: Int
  /// Whether it is a cluster, which has its slots on several servers.
  let isCluster: Bool

  /// Looks at the servers, and fails if they can't be used now.
  /// - Parameters:
  ///   - milliseconds: how long connecting may take, and each reply.
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
    keeper.hasStarted()
  }

  deinit {
    keeper.stop()
    thread.join()
  }

  /// Until when all may take that is done for one request: so that it is answered within a second by the standard.
  package var deadline: Deadline { .after(milliseconds: milliseconds * 3) }

  /// Until when a request may look for its session: so that there is time left for what it wants of it.
  var findingDeadline: Deadline { .after(milliseconds: milliseconds * 2) }

  /// Sends a command and waits for its reply; an error that Redis answers with is thrown.
  /// - Parameters:
  ///   - slot: that of the command's keys; any if it has none.
  ///   - deadline: until when all of it may take; nil: as long as a request may.
  package func command(
    _ arguments: [RedisArgument], at slot: RedisSlot, by deadline: Deadline? = nil
  ) throws(RedisError) -> RedisReply {
    try call(slot, by: deadline) { connection throws(RedisError) in try connection.command(arguments) }
  }

  /// Runs a script.
  /// - Parameters:
  ///   - slot: that of all keys.
  ///   - deadline: until when all of it may take; nil: as long as a request may.
  package func eval(
    _ script: RedisScript, keys: [RedisArgument], arguments: [RedisArgument], at slot: RedisSlot,
    by deadline: Deadline? = nil
  ) throws(RedisError) -> RedisReply {
    try call(slot, by: deadline) { connection throws(RedisError) in
      try connection.eval(script, keys: keys, arguments: arguments)
    }
  }

  /// Sends several commands in one write, and waits for all their replies. Errors that Redis answers with are among
  /// them. If one is sent to another node, all are repeated there: so it is for commands that may be.
  /// - Parameters:
  ///   - slot: that of all keys.
  ///   - deadline: until when all of it may take; nil: as long as a request may.
  package func pipeline(
    _ commands: [[RedisArgument]], at slot: RedisSlot, by deadline: Deadline? = nil
  ) throws(RedisError) -> RedisReplies {
    try call(slot, by: deadline) { connection throws(RedisError) in
      let replies = try connection.pipeline(commands)
      let failure = replies.withValues { values in values.lazy.compactMap(\.failure).first { $0.kind.isAboutNode } }
      if let failure { throw .refused(failure) }
      return replies
    }
  }

  /// Sends commands that are about several slots to the server that has the first one, in one write, and waits for all
  /// their replies. Those that another server has to answer are errors among them.
  func pipeline(
    asGrouped commands: [[RedisArgument]], at slot: RedisSlot, by deadline: Deadline
  ) throws(RedisError) -> RedisReplies {
    try call(try keeper.node(for: slot), by: deadline) { connection throws(RedisError) in
      try connection.pipeline(commands)
    }
  }

  /// Divides what is asked about slots by the servers that have them, as far as is known: the places in `slots`, in
  /// their order. What nobody is known to have is left out.
  func byServer(_ slots: [RedisSlot]) -> [[Int]] {
    var groups: [(node: RedisNode, indices: [Int])] = []
    for (index, slot) in slots.enumerated() {
      guard let node = try? keeper.node(for: slot) else { continue }
      if let group = groups.firstIndex(where: { $0.node === node }) {
        groups[group].indices.append(index)
      } else {
        groups.append((node, [index]))
      }
    }
    return groups.map(\.indices)
  }

  /// Asks each server whether it is there; throws if one is not.
  func ping() throws(RedisError) {
    try forEachServer { connection, endpoint throws(RedisError) in
      do throws(RedisError) { _ = try connection.command(["PING"]) } catch {
        // Who may not ask that is wrong about the user.
        guard case .refused(let failure) = error, failure.kind == .noPermission else { throw error }
        throw RedisAccess.failure(error, endpoint)
      }
    }
  }

  /// Asks each server whether it takes what sessions need; throws if one does not. A full one does: what frees memory
  /// goes on.
  func check() throws(RedisError) {
    try forEachServer { connection, _ throws(RedisError) in
      // A write, which is refused too where too few replicas are there, of nothing.
      do throws(RedisError) { _ = try connection.command(["DEL", "pinpad:"]) } catch {
        // Another one has that key.
        guard case .refused(let failure) = error, failure.kind == .moved || failure.kind == .ask else { throw error }
      }
    }
  }

  /// Calls `body` with a connection to each server.
  func forEachServer(_ body: (RedisConnection, RedisEndpoint) throws(RedisError) -> Void) throws(RedisError) {
    let deadline = deadline
    for node in keeper.nodes {
      try call(node, by: deadline) { connection throws(RedisError) in try body(connection, node.endpoint) }
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
    _ slot: RedisSlot, by deadline: Deadline?, _ body: (RedisConnection) throws(RedisError) -> R
  ) throws(RedisError) -> R {
    let deadline = deadline ?? self.deadline
    var node = try keeper.node(for: slot)
    var isAsking = false
    var redirections = 0
    while true {
      let failure: RedisFailure
      do throws(RedisError) {
        return try call(node, by: deadline, isAsking: isAsking, body)
      } catch {
        guard case .refused(let refused) = error, refused.kind.isAboutNode else { throw error }
        failure = refused
      }
      // Nothing was carried out, so nothing is doubled.
      guard !deadline.isOver else { throw .unavailable(failure.text) }
      isAsking = false
      redirections += 1
      // Two that send each other whoever asks do so for a while, until they agree.
      if redirections > 3 { usleep(10_000) }
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
    _ node: RedisNode, by deadline: Deadline, isAsking: Bool = false, _ body: (RedisConnection) throws(RedisError) -> R
  ) throws(RedisError) -> R {
    var isAgain = false
    while true {
      let connection = try node.take(by: deadline)
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
