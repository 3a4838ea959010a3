import Glibc
import PINService

/// `--health`: for those who watch a container, in which there may be no curl.
enum Health {
  case ready
  case notReady
  case silent

  /// How the service at the configured place is.
  static func check(_ configuration: Configuration) -> Health {
    guard let address = configuration.address, let descriptor = connect(address) else { return .silent }
    defer { close(descriptor) }
    var patience = timeval(tv_sec: 3, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    let request = Array("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return .silent }
    var answer = [UInt8](repeating: 0, count: 16)
    let count = recv(descriptor, &answer, answer.count, Int32(MSG_WAITALL))
    guard count > 0 else { return .silent }
    return answer.starts(with: "HTTP/1.1 200 ".utf8) ? .ready : .notReady
  }

  private static func connect(_ address: ListenAddress) -> Int32? {
    switch address {
    case .tcp(let host, let port): connect(host, port)
    case .unix(let path): connect(path)
    }
  }

  /// Where it listens on all addresses, it can be reached on one.
  private static func connect(_ host: String, _ port: UInt16) -> Int32? {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &found) == 0, let found else { return nil }
    defer { freeaddrinfo(found) }
    let descriptor = socket(found.pointee.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    if Glibc.connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  private static func connect(_ path: String) -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let failed = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
    }
    if failed == 0 { return descriptor }
    close(descriptor)
    return nil
  }
}
