internal import Synchronization

/// What a subscriber's thread works with.
final class Listening: Sendable {
  private let link: RedisLink
  private let callWake: RedisSubscriber.Wake
  private let wishes = Locked(Wishes())
  private let bell = WakeUp()
  private let isStopping = Atomic(false)
  private let connected = Atomic(false)

  private struct Wishes: ~Copyable {
    var channels: Set<String> = []
    /// Those that were asked for or given up since the thread last looked.
    var changed: Set<String> = []
  }

  /// How long nothing may come before it is asked whether the connection still lives, and then before it is given up:
  /// together well within a second, in which a lost wake-up is to be made good.
  private static let quietMilliseconds = 300
  private static let answerMilliseconds = 300
  /// How many channels go into one command.
  private static let most = 500

  init(_ link: RedisLink, _ wake: @escaping RedisSubscriber.Wake) {
    self.link = link
    callWake = wake
  }

  var isConnected: Bool { connected.load(ordering: .relaxed) }

  func want(_ channel: String, _ isWanted: Bool) {
    wishes.withLock { wishes in
      if isWanted { wishes.channels.insert(channel) } else { wishes.channels.remove(channel) }
      wishes.changed.insert(channel)
    }
    bell.ring()
  }

  func stop() {
    isStopping.store(true, ordering: .releasing)
    bell.ring()
  }

  func run() {
    var pause = Backoff(most: 200)
    var complaint = ""
    while !isStopping.load(ordering: .acquiring) {
      // Any, so that many nodes of ours don't all have the same one.
      if let endpoint = link.endpoints.randomElement(), let connection = try? link.connect(to: endpoint) {
        connected.store(true, ordering: .relaxed)
        let start = Deadline.after(milliseconds: 1000)
        do throws(RedisError) { try listen(connection, endpoint) } catch {
          // Such as that the user may not subscribe.
          if case .refused(let failure) = error, failure.text != complaint {
            complaint = failure.text
            link.say("redis tells no events: \(complaint)")
          }
        }
        connected.store(false, ordering: .relaxed)
        // One that held is made anew at once, one that is closed again and again is not.
        if start.isOver { pause = Backoff(most: 200) }
      }
      rest(.after(milliseconds: pause.next()))
    }
  }

  private func rest(_ deadline: Deadline) {
    while !deadline.isOver && !isStopping.load(ordering: .acquiring) {
      bell.wait(milliseconds: deadline.milliseconds)
    }
  }

  /// Until the connection is lost or its server is none of ours any more.
  private func listen(_ connection: RedisConnection, _ endpoint: RedisEndpoint) throws(RedisError) {
    var subscribed: Set<String> = []
    wishes.withLock { $0.changed = $0.channels }
    var limit = Deadline.after(milliseconds: Self.quietMilliseconds)
    var hasAsked = false
    while !isStopping.load(ordering: .acquiring) {
      try change(&subscribed, connection)
      Sodium.wipeStack()
      bell.wait(orFor: connection.descriptor, milliseconds: limit.milliseconds)
      if try hear(connection) {
        limit = .after(milliseconds: Self.quietMilliseconds)
        hasAsked = false
      } else if limit.isOver {
        // A server that is no master any more may answer for long, and hear nothing.
        guard !hasAsked, link.endpoints.contains(endpoint) else { return }
        try connection.post([["PING"]])
        limit = .after(milliseconds: Self.answerMilliseconds)
        hasAsked = true
      }
    }
  }

  /// Makes what is subscribed what is wanted.
  private func change(_ subscribed: inout Set<String>, _ connection: RedisConnection) throws(RedisError) {
    let (begin, end, again) = wishes.withLock { wishes in
      let changed = wishes.changed
      wishes.changed = []
      let wanted = changed.intersection(wishes.channels)
      let unwanted = changed.subtracting(wishes.channels)
      return (wanted.subtracting(subscribed), unwanted.intersection(subscribed), wanted.intersection(subscribed))
    }
    try post("SUBSCRIBE", begin, connection)
    try post("UNSUBSCRIBE", end, connection)
    subscribed.formUnion(begin)
    subscribed.subtract(end)
    for var channel in again { channel.withUTF8 { callWake(UnsafeRawBufferPointer($0), nil) } }
  }

  private func post(
    _ command: RedisArgument, _ channels: Set<String>, _ connection: RedisConnection
  ) throws(RedisError) {
    var rest = channels.map { RedisArgument.text($0) }[...]
    while !rest.isEmpty {
      try connection.post([[command] + rest.prefix(Self.most)])
      rest = rest.dropFirst(Self.most)
    }
  }

  /// Passes on all that has come; returns whether something has.
  private func hear(_ connection: RedisConnection) throws(RedisError) -> Bool {
    var hasHeard = false
    while let reply = try connection.message() {
      hasHeard = true
      let failure = reply.withValue { value in
        switch value[0]?.text {
        case "message": if let channel = value[1]?.bytes { callWake(channel, value[2]?.bytes) }
        case "subscribe": if let channel = value[1]?.bytes { callWake(channel, nil) }
        default: break
        }
        return value.failure
      }
      if let failure { throw .refused(failure) }
    }
    return hasHeard
  }
}
