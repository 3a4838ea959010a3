internal import Glibc

/// Where one Redis server listens.
package enum RedisEndpoint: Hashable, Sendable, CustomStringConvertible {
  case tcp(host: String, port: UInt16)
  case unix(path: String)

  /// `HOST:PORT`, or a path.
  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): path
    }
  }

  /// The socket addresses that it stands for: none if its name means nothing. A name is looked up, which may take
  /// seconds; an address and a path are not.
  func resolved() -> [SocketPlace] {
    switch self {
    case .unix(let path): return SocketPlace(path: path).map { [$0] } ?? []
    case .tcp(let host, let port): return Self.lookUp(host, port, isNumeric: false)
    }
  }

  /// The same without looking anything up: none if it is a name.
  func resolvedAtOnce() -> [SocketPlace] {
    switch self {
    case .unix: return resolved()
    case .tcp(let host, let port): return Self.lookUp(host, port, isNumeric: true)
    }
  }

  private static func lookUp(_ host: String, _ port: UInt16, isNumeric: Bool) -> [SocketPlace] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : 0)
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
    defer { freeaddrinfo(first) }
    var places: [SocketPlace] = []
    var next = first
    while let info = next?.pointee {
      if let address = info.ai_addr, let place = SocketPlace(address, info.ai_addrlen) { places.append(place) }
      next = info.ai_next
    }
    return places
  }
}
