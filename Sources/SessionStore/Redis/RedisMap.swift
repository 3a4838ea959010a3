/// Which server has which slot.
struct RedisMap: Sendable {
  private(set) var nodes: [RedisNode]
  /// An index into `nodes` for each slot, or `nobody`; empty if the first node has everything.
  private var owners: [UInt16]

  private static let nobody = UInt16.max

  /// One server has everything.
  init(_ node: RedisNode) {
    nodes = [node]
    owners = []
  }

  /// A cluster's: nobody has anything yet.
  init(cluster nodes: [RedisNode]) {
    self.nodes = nodes
    owners = Array(repeating: Self.nobody, count: RedisSlot.count)
  }

  func node(for slot: RedisSlot) -> RedisNode? {
    guard !owners.isEmpty else { return nodes.first }
    let owner = owners[Int(slot.number)]
    return owner == Self.nobody ? nil : nodes[Int(owner)]
  }

  func node(at endpoint: RedisEndpoint) -> RedisNode? { nodes.first { $0.endpoint == endpoint } }

  mutating func give(_ slots: ClosedRange<UInt16>, to node: RedisNode) {
    let owner = index(of: node)
    for slot in slots where Int(slot) < owners.count { owners[Int(slot)] = owner }
  }

  /// Its place among the nodes, added if it's new.
  private mutating func index(of node: RedisNode) -> UInt16 {
    if let index = nodes.firstIndex(where: { $0 === node }) { return UInt16(index) }
    nodes.append(node)
    return UInt16(nodes.count - 1)
  }
}
