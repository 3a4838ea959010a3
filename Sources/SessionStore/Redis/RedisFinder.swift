/// Finds out which servers there are, by asking those that the address names and those it knows from them.
struct RedisFinder: ~Copyable {
  private let address: RedisAddress
  private let access: RedisAccess
  private let news: RedisNews
  /// The sentinel that answered last.
  private var sentinel: RedisConnection?
  /// Whether the log knows that none answers.
  private var hasComplained = false

  init(_ address: RedisAddress, _ access: RedisAccess, _ news: RedisNews) {
    self.address = address
    self.access = access
    self.news = news
  }

  /// What is known before anybody was asked.
  var firstMap: RedisMap {
    switch address.servers {
    case .one(let endpoint): RedisMap(node(endpoint, nil))
    case .sentinels: RedisMap(cluster: [])
    case .cluster(let endpoints): RedisMap(cluster: endpoints.map { node($0, nil) })
    }
  }

  /// Asks, and tries those servers that are down. Throws if a server that has slots can't be used; the map is the best
  /// that is known in any case.
  mutating func look(_ map: inout RedisMap) throws(RedisError) {
    switch address.servers {
    case .one: break
    case .sentinels(let sentinels, let master):
      do throws(RedisError) {
        map = RedisMap(node(try askSentinels(sentinels, master), map))
        hasComplained = false
      } catch {
        // A master that is well is used on.
        guard let known = map.nodes.first, known.trouble == nil else { throw error }
        if !hasComplained { news.say("sentinels can't be asked: \(error.reason)") }
        hasComplained = true
      }
    case .cluster(let seeds): map = try askCluster(seeds, map)
    }
    var trouble: RedisError?
    for node in map.nodes where node.trouble != nil {
      do throws(RedisError) { try node.look() } catch { trouble = error }
    }
    if let trouble { throw trouble }
  }

  /// The known one, if there is one: its connections rest there.
  private func node(_ endpoint: RedisEndpoint, _ map: RedisMap?) -> RedisNode {
    map?.node(at: endpoint) ?? RedisNode(endpoint, access, news)
  }

  // MARK: Sentinel

  private mutating func askSentinels(
    _ endpoints: [RedisEndpoint], _ master: String
  ) throws(RedisError) -> RedisEndpoint {
    if let sentinel, sentinel.isUsable, let answer = try? Self.ask(sentinel, master) { return answer }
    sentinel = nil
    var failure = RedisError.unavailable("no sentinel")
    for endpoint in endpoints {
      do throws(RedisError) {
        let connection = try RedisConnection(endpoint, address.sentinelLogin, milliseconds: access.milliseconds)
        guard let answer = try Self.ask(connection, master) else {
          failure = .unavailable("\(endpoint): knows no master \(master)")
          continue
        }
        sentinel = connection
        return answer
      } catch {
        failure = Self.failure(
          error, endpoint, unless: "unknown command", "is no sentinel: give redis:// as its address")
      }
    }
    throw failure
  }

  /// - Parameters:
  ///   - words: what a server of another kind says.
  ///   - advice: what is said of it then.
  private static func failure(
    _ error: RedisError, _ endpoint: RedisEndpoint, unless words: String, _ advice: String
  ) -> RedisError {
    guard case .refused(let failure) = error, failure.kind == .other, failure.text.contains(words) else {
      return RedisAccess.failure(error, endpoint)
    }
    return .misconfigured("\(endpoint): \(advice)")
  }

  /// Nil if the sentinel knows no master of that name.
  private static func ask(_ sentinel: RedisConnection, _ master: String) throws(RedisError) -> RedisEndpoint? {
    try sentinel.command(["SENTINEL", "get-master-addr-by-name", .text(master)]).withValue { value in
      guard let host = value[0]?.text, let port = value[1]?.text.flatMap(UInt16.init) else { return nil }
      return .tcp(host: host, port: port)
    }
  }

  // MARK: Cluster

  private func askCluster(_ seeds: [RedisEndpoint], _ map: RedisMap) throws(RedisError) -> RedisMap {
    var failure = RedisError.unavailable("no node")
    // Those that were up first.
    let known = map.nodes.filter { $0.trouble == nil } + map.nodes.filter { $0.trouble != nil }
    for node in known + seeds.filter({ map.node(at: $0) == nil }).map({ node($0, map) }) {
      do throws(RedisError) {
        if node.trouble != nil { try node.look() }
        let connection = try node.take(by: .never)
        defer { node.giveBack(connection) }
        let answer = try connection.command(["CLUSTER", "SLOTS"]).withValue { slotMap($0, node.endpoint, map) }
        if let answer { return answer }
        failure = .unavailable("\(node.endpoint): knows no slots")
      } catch {
        failure = Self.failure(
          error, node.endpoint, unless: "cluster support disabled", "is no cluster: give redis:// as its address")
      }
    }
    throw failure
  }

  /// From the answer to CLUSTER SLOTS: first slot, last slot, then the master's host and port; nil if there are none.
  private func slotMap(_ value: RedisValue, _ asked: RedisEndpoint, _ map: RedisMap) -> RedisMap? {
    var new = RedisMap(cluster: [])
    for range in value.elements {
      guard let first = range[0]?.integer.flatMap(UInt16.init(exactly:)),
        let last = range[1]?.integer.flatMap(UInt16.init(exactly:)), first <= last,
        let port = range[2]?[1]?.integer.flatMap(UInt16.init(exactly:))
      else { continue }
      let endpoint = RedisEndpoint.tcp(
        host: RedisRedirection.host((range[2]?[0]?.text ?? "")[...], asked), port: port)
      new.give(first...last, to: new.node(at: endpoint) ?? node(endpoint, map))
    }
    return new.nodes.isEmpty ? nil : new
  }
}
