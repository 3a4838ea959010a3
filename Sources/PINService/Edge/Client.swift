package import MicroHTTP

/// Who sent a request.
struct Client: Equatable {
  let address: PeerAddress
  /// It runs on this machine, and came here without a proxy.
  let isLocal: Bool

  /// Whether what it does is counted and limited; nobody can be kept out of their own machine by what others do.
  var isLimited: Bool { !isLocal }
}

extension PINService {
  func client(of request: borrowing Request) -> Client { rules.proxies.client(of: request) }

  /// Whose streams a request's count for; nil where there is no limit.
  func limitedClient(of request: borrowing Request) -> PeerAddress? {
    let client = client(of: request)
    return client.isLimited ? client.address : nil
  }

  /// Whether connections from an address are counted and limited: those of this machine and of proxies are not.
  package func isLimited(_ peer: PeerAddress) -> Bool { !peer.isLoopback && !rules.proxies.contains(peer) }
}
