import Glibc

/// An address of a socket, of any family.
struct SocketAddress {
  private var storage = sockaddr_storage()
  private var size = socklen_t(MemoryLayout<sockaddr_storage>.size)

  /// What a socket is bound to; nil with `errno` if it is no socket.
  init?(of descriptor: CInt) {
    let result = withUnsafeMutableBytes(of: &storage) { [size] bytes in
      var count = size
      return (getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &count), count)
    }
    guard result.0 == 0 else { return nil }
    size = result.1
  }

  /// nil if the path is longer than such an address can be.
  init?(unixPath: String) {
    let path = unixPath.utf8
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    guard !path.isEmpty, path.count < MemoryLayout<sockaddr_un>.size - start, !path.contains(0) else { return nil }
    storage.ss_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &storage) { bytes in
      UnsafeMutableRawBufferPointer(rebasing: bytes[start...]).copyBytes(from: path)
    }
    size = socklen_t(start + path.count + 1)
  }

  func withPointer<R, E: Error>(_ body: (UnsafePointer<sockaddr>?, socklen_t) throws(E) -> R) throws(E) -> R {
    try withUnsafeBytes(of: storage) { (bytes) throws(E) in
      try body(bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
    }
  }

  /// The address as it is written: `127.0.0.1:8080`, `[::1]:8080`, `unix:/path`.
  var text: String {
    if family == AF_UNIX { return "unix:\(unixPath)" }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { host in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { port in
        host.initialize(repeating: 0)
        port.initialize(repeating: 0)
        _ = withPointer {
          getnameinfo($0, $1, host.baseAddress, 63, port.baseAddress, 15, NI_NUMERICHOST | NI_NUMERICSERV)
        }
        let (host, port) = (Self.string(host), Self.string(port))
        return family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
      }
    }
  }

  var isLoopback: Bool {
    withUnsafeBytes(of: storage) { bytes in
      switch family {
      case AF_INET:
        return bytes.load(as: sockaddr_in.self).sin_addr.s_addr & UInt32(bigEndian: 0xff00_0000)
          == UInt32(bigEndian: 0x7f00_0000)
      case AF_INET6:
        let address = bytes.load(as: sockaddr_in6.self).sin6_addr
        return withUnsafeBytes(of: address) { PeerAddress($0).isLoopback }
      default: return true
      }
    }
  }

  private var family: CInt { CInt(storage.ss_family) }

  private var unixPath: String {
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    return withUnsafeBytes(of: storage) { bytes in
      String(decoding: bytes[min(start, Int(size))..<Int(size)].prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  private static func string(_ buffer: UnsafeMutableBufferPointer<CChar>) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
