import SessionStore
import Testing

/// Three masters, each with a third of the slots.
final class RedisCluster: Sendable {
  let nodes: [RedisServer]

  init() throws {
    var nodes: [RedisServer] = []
    var busPorts: [UInt16] = []
    for _ in 0..<3 {
      let busPort = try FreePort.find()
      nodes.append(try RedisCluster.node(busPort))
      busPorts.append(busPort)
    }
    self.nodes = nodes
    for (node, range) in zip(nodes, [("0", "5460"), ("5461", "10922"), ("10923", "16383")]) {
      _ = try node.connect().command(["CLUSTER", "ADDSLOTSRANGE", .text(range.0), .text(range.1)])
    }
    for (node, busPort) in zip(nodes, busPorts).dropFirst() { try meet(node, busPort) }
    for node in nodes { try waitUntilWell(node, knowing: 3) }
  }

  var address: RedisAddress {
    get throws { try RedisAddress("redis+cluster://" + nodes.map(\.endpoint.description).joined(separator: ",")) }
  }

  /// A fourth node, which takes over when the first is gone.
  func addReplica() throws -> RedisServer {
    let busPort = try FreePort.find()
    let replica = try Self.node(busPort)
    try meet(replica, busPort)
    let connection = try replica.connect()
    let master = try id(of: nodes[0])
    // It has to have heard of the master first.
    try waitUntil { failure { _ = try connection.command(["CLUSTER", "REPLICATE", .text(master)]) } == nil }
    // Who doesn't know the others yet can't ask for their votes.
    for node in nodes + [replica] { try waitUntilWell(node, knowing: 4) }
    try waitUntil {
      try connection.command(["INFO", "replication"]).text?.contains("master_link_status:up") == true
    }
    return replica
  }

  func id(of node: RedisServer) throws -> String { try #require(try node.connect().command(["CLUSTER", "MYID"]).text) }

  /// Moves a slot with its keys, calling `body` when half of them have gone.
  func move(_ slot: RedisSlot, from: RedisServer, to: RedisServer, atHalf body: () throws -> Void = {}) throws {
    let number = RedisArgument.number(Int64(slot.number))
    let (source, target) = (try from.connect(), try to.connect())
    let (sourceID, targetID) = (RedisArgument.text(try id(of: from)), RedisArgument.text(try id(of: to)))
    _ = try target.command(["CLUSTER", "SETSLOT", number, "IMPORTING", sourceID])
    _ = try source.command(["CLUSTER", "SETSLOT", number, "MIGRATING", targetID])
    var keys = try keys(in: number, source)
    let port = RedisArgument.number(Int64(try #require(to.port)))
    let half = keys.count / 2
    for (index, key) in keys.enumerated() {
      if index == half { try body() }
      _ = try source.command(["MIGRATE", "127.0.0.1", port, .text(key), "0", "5000"])
    }
    // What came meanwhile.
    keys = try self.keys(in: number, source)
    for key in keys { _ = try source.command(["MIGRATE", "127.0.0.1", port, .text(key), "0", "5000"]) }
    _ = try target.command(["CLUSTER", "SETSLOT", number, "NODE", targetID])
    _ = try source.command(["CLUSTER", "SETSLOT", number, "NODE", targetID])
  }

  private func keys(in slot: RedisArgument, _ connection: RedisConnection) throws -> [String] {
    try connection.command(["CLUSTER", "GETKEYSINSLOT", slot, "1000"]).withValue { $0.elements.compactMap(\.text) }
  }

  private static func node(_ busPort: UInt16) throws -> RedisServer {
    try RedisServer(
      .tcp,
      options: [
        "--cluster-enabled", "yes", "--cluster-port", "\(busPort)", "--cluster-node-timeout", "2000",
        "--cluster-replica-validity-factor", "0",
      ])
  }

  /// Makes the first one know the other. That is given up after a while, without a word.
  private func meet(_ node: RedisServer, _ busPort: UInt16) throws {
    let connection = try nodes[0].connect()
    let port = Int64(try #require(node.port))
    for _ in 0..<6 {
      _ = try connection.command(["CLUSTER", "MEET", "127.0.0.1", .number(port), .number(Int64(busPort))])
      let isKnown: ()? = try? waitUntil(seconds: 10) {
        try connection.command(["CLUSTER", "NODES"]).text?.contains(try id(of: node)) == true
      }
      if isKnown != nil { return }
    }
    throw ChildProcess.Failure(description: "the nodes don't meet")
  }

  private func waitUntilWell(_ node: RedisServer, knowing count: Int) throws {
    let connection = try node.connect()
    try waitUntil {
      let info = try connection.command(["CLUSTER", "INFO"]).text ?? ""
      return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:\(count)")
    }
  }
}
