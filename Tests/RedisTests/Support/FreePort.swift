import Glibc

/// Ports of the loopback address on which nobody listens.
enum FreePort {
  static func find() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failure = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) != 0 || getsockname(descriptor, $0, &size) != 0
      }
    }
    guard !failure else { throw ChildProcess.Failure(description: "no port is free") }
    return UInt16(bigEndian: address.sin_port)
  }
}
