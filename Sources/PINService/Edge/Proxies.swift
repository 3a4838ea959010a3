import MicroHTTP

/// Who sent a request.
struct Client: Equatable {
  let address: PeerAddress
  /// It runs on this machine, and came here without a proxy.
  let isLocal: Bool

  /// Whether what it does is counted and limited; nobody can be kept out of their own machine by what others do.
  var isLimited: Bool { !isLocal }
}

/// The proxies whose word for where a request came from is believed.
struct Proxies: Sendable {
  private let ranges: [AddressRange]
  private let trustsUnix: Bool

  /// The name that stands for whoever connects to a Unix socket.
  static let unix = "unix"

  /// - Parameter texts: ranges of addresses, or `unix`; what is neither counts for nothing.
  init(_ texts: [String]) {
    ranges = texts.compactMap { AddressRange($0) }
    trustsUnix = texts.contains(Self.unix)
  }

  static func isRight(_ text: String) -> Bool { text == unix || AddressRange(text) != nil }

  func contains(_ peer: PeerAddress) -> Bool {
    peer.isUnix ? trustsUnix : ranges.contains { $0.contains(peer) }
  }

  /// Each proxy adds the address that it was asked from at the end: the last one that is no proxy's is the client's.
  /// What stands before it may have been made up by that client.
  func client(of request: borrowing Request) -> Client {
    let peer = request.peer
    guard contains(peer) else { return Client(address: peer, isLocal: peer.isLoopback) }
    var address = peer
    var isForwarded = false
    for field in request.headers("X-Forwarded-For").reversed() {
      for entry in field.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).reversed() {
        // What can't be read ends the chain: the last proxy that said something is known.
        guard let found = Self.address(in: entry.trimmingSpace()) else {
          return Client(address: address, isLocal: false)
        }
        address = found
        isForwarded = true
        if !contains(found) { return Client(address: found, isLocal: false) }
      }
    }
    return Client(address: address, isLocal: !isForwarded && peer.isLoopback)
  }

  /// Whether a program on this machine sent it, and not through a proxy. One that is not listed is on this machine too,
  /// and shows by what it adds.
  func isDirect(_ request: borrowing Request) -> Bool {
    guard client(of: request).isLocal else { return false }
    return request.header("X-Forwarded-For") == nil && request.header("Forwarded") == nil
      && request.header("Via") == nil && request.header("X-Real-IP") == nil
  }

  /// An address as proxies write it: possibly with a port, IPv6 then in brackets.
  static func address(in entry: UnsafeRawBufferPointer) -> PeerAddress? {
    if entry.first == UInt8(ascii: "[") {
      guard let end = entry.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      return PeerAddress(text: entry[1..<end])
    }
    let colons = entry.indices.filter { entry[$0] == UInt8(ascii: ":") }
    return colons.count == 1 ? PeerAddress(text: entry[..<colons[0]]) : PeerAddress(text: entry)
  }
}
