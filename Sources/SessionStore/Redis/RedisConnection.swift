internal import CHiredis
internal import Glibc
internal import WipingBuffer

/// A connection to one Redis server. Calls wait for their reply, but only for so long.
///
/// It writes commands itself, all of a pipeline in one write, and reads replies by hiredis's parser. hiredis's own
/// connections would write to a closed socket with a signal, and keep passwords in memory that nobody wipes.
///
/// Its memory and its socket are used by one thread at a time: who takes it from its pool has it alone.
package final class RedisConnection: @unchecked Sendable {
  /// To wait for what comes.
  let descriptor: Int32
  private let reader: UnsafeMutablePointer<redisReader>
  private let input: UnsafeMutableRawBufferPointer
  // Passwords are written into it.
  private var output = Bytes(capacity: 1024)
  private let milliseconds: Int
  /// Whether replies still belong to commands; not after an error that left some behind.
  package private(set) var isUsable = true
  /// Whether it can't be used because a reply was late, and not because the other side closed it, or because whoever
  /// asked had less time than a reply may take.
  private(set) var isLate = false
  /// Until when whoever has it may wait, in all that they do with it.
  var deadline = Deadline.never
  /// The limit of the socket's reads and writes, in ms.
  private var limit: Int
  /// Whether each command is for a slot that this node is just getting from another (`ASK`).
  var isAsking = false

  /// Connects and introduces itself.
  /// - Parameters:
  ///   - milliseconds: how long connecting may take, and then each call.
  package convenience init(
    _ endpoint: RedisEndpoint, _ login: RedisLogin = RedisLogin(), milliseconds: Int = 250
  ) throws(RedisError) {
    try self.init(endpoint.resolved(), named: endpoint, login, milliseconds: milliseconds)
  }

  /// - Parameters:
  ///   - places: what the endpoint stands for, tried one after the other.
  ///   - mustBeMaster: whether a server that is no master is no use.
  ///   - deadline: until when whoever wants it may wait, now and in what follows.
  init(
    _ places: [SocketPlace], named endpoint: RedisEndpoint, _ login: RedisLogin, mustBeMaster: Bool = false,
    milliseconds: Int, by deadline: Deadline = .never
  ) throws(RedisError) {
    self.milliseconds = milliseconds
    self.deadline = Deadline.after(milliseconds: milliseconds).orEarlier(deadline)
    descriptor = try Self.connect(places, endpoint, self.deadline)
    limit = self.deadline.milliseconds
    guard let reader = redisReaderCreate() else { fatalError("out of memory") }
    self.reader = reader
    input = .allocate(byteCount: 16_384, alignment: 16)
    // Both have to be done by then.
    SocketPlace.limit(descriptor, limit)
    try introduce(login, endpoint, mustBeMaster)
    self.deadline = deadline
  }

  deinit {
    close(descriptor)
    redisReaderFree(reader)
    input.deallocate()
  }

  private static func connect(
    _ places: [SocketPlace], _ endpoint: RedisEndpoint, _ deadline: Deadline
  ) throws(RedisError) -> Int32 {
    var reason = "there is no such host"
    for place in places where !deadline.isOver {
      switch place.connect(within: deadline.milliseconds) {
      case .success(let descriptor): return descriptor
      case .failure(let error): reason = error.description
      }
    }
    throw .unavailable("\(endpoint): \(reason)")
  }

  /// Nothing that a caller wants is sent before this is answered, so whatever goes wrong has changed nothing. All of it
  /// is one round trip.
  private func introduce(_ login: RedisLogin, _ endpoint: RedisEndpoint, _ mustBeMaster: Bool) throws(RedisError) {
    let commands = login.commands + (mustBeMaster ? [["ROLE"]] : [])
    guard !commands.isEmpty else { return }
    do throws(RedisError) {
      try pipeline(commands).withValues { values throws(RedisError) in
        let failures = values.lazy.prefix(login.commands.count).compactMap(\.failure)
        if let failure = failures.first { throw .refused(failure) }
        if mustBeMaster, let role = values.last { try Self.check(role, endpoint) }
      }
    } catch {
      guard case .replyLost = error else { throw error }
      throw .unavailable("\(endpoint): no reply")
    }
  }

  private static func check(_ role: RedisValue, _ endpoint: RedisEndpoint) throws(RedisError) {
    if let failure = role.failure {
      // Who may not ask finds out when the first write is refused.
      guard failure.kind == .noPermission else { throw .refused(failure) }
      return
    }
    guard role[0]?.text == "master" else { throw .unavailable("\(endpoint): is no master") }
  }

  /// Sends a command and waits for its reply; an error that Redis answers with is thrown.
  package func command(_ arguments: [RedisArgument]) throws(RedisError) -> RedisReply {
    let wait = try send([arguments])
    let reply = RedisReply(try receive(wait))
    if let failure = reply.withValue(\.failure) { throw .refused(failure) }
    return reply
  }

  /// Sends several commands in one write, and waits for all their replies. Errors that Redis answers with are among
  /// them.
  package func pipeline(_ commands: [[RedisArgument]]) throws(RedisError) -> RedisReplies {
    let wait = try send(commands)
    var replies = RedisReplies(capacity: commands.count)
    for _ in commands { replies.append(try receive(wait)) }
    return replies
  }

  /// Runs a script; sends its text only if Redis doesn't know it yet.
  package func eval(
    _ script: RedisScript, keys: [RedisArgument], arguments: [RedisArgument]
  ) throws(RedisError) -> RedisReply {
    let rest = [.number(Int64(keys.count))] + keys + arguments
    do throws(RedisError) {
      return try command(["EVALSHA", .text(script.hash)] + rest)
    } catch {
      guard case .refused(let failure) = error, failure.kind == .noScript else { throw error }
      return try command(["EVAL", .text(script.text)] + rest)
    }
  }

  /// Whether nothing has come while nothing was asked for: what the other side has closed reads as ended. For a
  /// connection that has rested.
  package var isQuiet: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
  }

  // MARK: Without waiting

  /// Sends commands whose replies come as messages.
  func post(_ commands: [[RedisArgument]]) throws(RedisError) { _ = try send(commands) }

  /// What has come; nil if there is nothing more now.
  func message() throws(RedisError) -> RedisReply? {
    while true {
      if let reply = try parsed() { return RedisReply(reply) }
      let count = recv(descriptor, input.baseAddress, input.count, Int32(MSG_DONTWAIT))
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN { return nil }
      try feed(count)
    }
  }

  // MARK: Sending

  /// Returns until when the replies have to be there.
  private func send(_ commands: [[RedisArgument]]) throws(RedisError) -> Wait {
    guard isUsable else { throw .unavailable("the connection is closed") }
    guard !deadline.isOver else { throw .unavailable("out of time") }
    for command in commands {
      if isAsking { output.append(redis: ["ASKING"]) }
      output.append(redis: command)
    }
    let wait = Wait(milliseconds, by: deadline)
    let failure = output.withBytes { sendAll($0, wait) }
    output.removeAll()
    guard let failure else { return wait }
    isUsable = false
    throw failure
  }

  private func sendAll(_ bytes: UnsafeRawBufferPointer, _ wait: Wait) -> RedisError? {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      limit(wait)
      let count = Glibc.send(descriptor, start, rest.count, Int32(MSG_NOSIGNAL))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        isLate = errno == EAGAIN && wait.isWhole
        // A command that is not there in full is not carried out, but one of a pipeline may be.
        return rest.count == bytes.count ? .unavailable(SystemError().description) : .replyLost
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return nil
  }

  /// Sees that the next read or write of the socket takes no longer than that, or some ms more: the little that has gone
  /// since the last one is not worth a system call.
  private func limit(_ wait: Wait) {
    let left = max(1, wait.deadline.milliseconds)
    guard left > limit || left + 10 < limit else { return }
    limit = left
    SocketPlace.limit(descriptor, left)
  }

  // MARK: Receiving

  /// How long to wait for replies.
  private struct Wait {
    let deadline: Deadline
    /// Whether that is as long as a reply may take.
    let isWhole: Bool

    init(_ milliseconds: Int, by end: Deadline) {
      isWhole = end.milliseconds >= milliseconds
      deadline = isWhole ? .after(milliseconds: milliseconds) : end
    }
  }

  /// The reply to a command.
  private func receive(_ wait: Wait) throws(RedisError) -> UnsafeMutablePointer<redisReply> {
    // It was asked for once more per command, and is answered first.
    if isAsking { freeReplyObject(try next(wait)) }
    return try next(wait)
  }

  private func next(_ wait: Wait) throws(RedisError) -> UnsafeMutablePointer<redisReply> {
    while true {
      if let reply = try parsed() { return reply }
      // A read is ended by its own limit, and many short ones by this.
      guard !wait.deadline.isOver else { throw lost(isLate: wait.isWhole) }
      limit(wait)
      let count = recv(descriptor, input.baseAddress, input.count, 0)
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN { throw lost(isLate: wait.isWhole) }
      try feed(count)
    }
  }

  /// The next whole reply of what was read; nil if there is none.
  private func parsed() throws(RedisError) -> UnsafeMutablePointer<redisReply>? {
    var reply: UnsafeMutableRawPointer?
    guard redisReaderGetReply(reader, &reply) == REDIS_OK else { throw lost(isLate: false) }
    return reply?.assumingMemoryBound(to: redisReply.self)
  }

  /// Takes so many bytes of the input; none mean its end.
  private func feed(_ count: Int) throws(RedisError) {
    guard count > 0, redisReaderFeed(reader, input.baseAddress, count) == REDIS_OK else { throw lost(isLate: false) }
  }

  private func lost(isLate: Bool) -> RedisError {
    isUsable = false
    self.isLate = isLate
    return .replyLost
  }
}
