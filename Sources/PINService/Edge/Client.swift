package import MicroHTTP

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
