internal import Synchronization

/// Knows which servers there are, and looks after those that are down on a thread of its own: one look at a time, with
/// a pause that grows in between. Those who ask Redis only read what it knows, and wait for nothing here.
final class RedisKeeper: Sendable {
  let access: RedisAccess
  private let news: RedisNews
  private let map: Locked<RedisMap>
  private let finder: Locked<RedisFinder>
  private let isStopping = Atomic(false)
  /// How long to rest when all is well; -1 for ever. Sentinels are asked again every second: a master that was
  /// replaced may still answer.
  private let rest: Int

  init(_ address: RedisAddress, milliseconds: Int, _ log: @escaping @Sendable (String) -> Void) {
    let needsMaster: Bool
    switch address.servers {
    case .one: (needsMaster, rest) = (true, -1)
    case .sentinels: (needsMaster, rest) = (true, 1000)
    // A cluster's nodes say by themselves who has what.
    case .cluster: (needsMaster, rest) = (false, -1)
    }
    access = RedisAccess(login: address.login, milliseconds: milliseconds, mustBeMaster: needsMaster)
    news = RedisNews(log)
    let finder = RedisFinder(address, access, news)
    map = Locked(finder.firstMap)
    self.finder = Locked(finder)
  }

  // MARK: For those who ask

  /// Who has a slot; it may be down.
  func node(for slot: RedisSlot) throws(RedisError) -> RedisNode {
    guard let node = map.withLock({ $0.node(for: slot) }) else {
      throw .unavailable("nobody is known to have slot \(slot.number)")
    }
    return node
  }

  /// Who was named by another.
  func node(at endpoint: RedisEndpoint) -> RedisNode {
    map.withLock { $0.node(at: endpoint) } ?? RedisNode(endpoint, access, news)
  }

  /// A slot has a new owner, so others may have one too.
  func move(_ slot: RedisSlot, to node: RedisNode) {
    map.withLock { $0.give(slot.number...slot.number, to: node) }
    news.wake.ring()
  }

  /// All servers were asked once.
  func hasStarted() { news.hasStarted() }

  func say(_ text: String) { news.say(text) }

  /// What is known may be wrong.
  func lookSoon() { news.wake.ring() }

  /// All servers, up or down.
  var nodes: [RedisNode] { map.withLock { $0.nodes } }

  // MARK: Looking

  /// Looks at once; throws if something can't be used. May take some time-outs, and as long as names take.
  func look() throws(RedisError) {
    try finder.withLock { finder throws(RedisError) in
      var new = map.withLock { $0 }
      defer { map.withLock { $0 = new } }
      try finder.look(&new)
    }
    news.tellUp()
  }

  /// Runs until `stop`; the thread's function.
  func run() {
    var pause = Backoff(most: 800)
    while !isStopping.load(ordering: .acquiring) {
      do throws(RedisError) {
        try look()
        pause = Backoff(most: 800)
        let soonest = Deadline.after(milliseconds: 10)
        news.wake.wait(milliseconds: rest)
        // A slot that is being moved may ring for each request.
        wait(until: soonest)
      } catch {
        // Also what nobody who asks has met, as a sentinel that is gone.
        news.tellDown(error.reason)
        wait(until: .after(milliseconds: pause.next()))
      }
    }
  }

  /// However often it is rung.
  private func wait(until deadline: Deadline) {
    while !deadline.isOver && !isStopping.load(ordering: .acquiring) {
      news.wake.wait(milliseconds: deadline.milliseconds)
    }
  }

  func stop() {
    isStopping.store(true, ordering: .releasing)
    news.wake.ring()
  }
}
