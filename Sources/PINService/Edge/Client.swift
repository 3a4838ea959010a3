package import MicroHTTP

extension PINService {
  /// Whose streams a request's count for; nil where there is no limit: on this machine.
  func limitedClient(of request: borrowing Request) -> PeerAddress? {
    let peer = request.peer
    return isLimited(peer) ? peer : nil
  }

  /// Whether connections from an address are limited: those of this machine are not.
  package func isLimited(_ peer: PeerAddress) -> Bool { !peer.isLoopback }
}
