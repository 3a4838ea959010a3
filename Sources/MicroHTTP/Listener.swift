import Glibc

/// A socket that listens, not accepted from yet. Closes it unless a server takes it.
package struct Listener: ~Copyable {
  private let descriptor: Descriptor
  /// Where it listens: `127.0.0.1:8080`, `[::1]:8080`, `unix:/path`.
  package let address: String
  /// Only this machine reaches it.
  package let isLoopback: Bool
  /// Of a Unix socket that was made here.
  let file: SocketFile?

  private static let backlog: CInt = 4096

  private init(_ descriptor: consuming Descriptor, file: SocketFile? = nil) throws(ListenerError) {
    guard let bound = SocketAddress(of: descriptor.number) else {
      throw .failed("descriptor \(descriptor.number)", errno: errno)
    }
    self.descriptor = descriptor
    address = bound.text
    isLoopback = bound.isLoopback
    self.file = file
  }

  /// Gives the socket away.
  consuming func release() -> CInt { descriptor.release() }

  /// Listens on TCP. `::` means IPv4 too.
  ///
  /// - Parameters:
  ///   - host: a name or an address; IPv6 also in brackets.
  ///   - port: 0 for any that is free.
  package static func tcp(host: String, port: UInt16) throws(ListenerError) -> Listener {
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    let name = bare.contains(":") ? "[\(bare)]:\(port)" : "\(bare):\(port)"
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard !bare.isEmpty, getaddrinfo(bare, String(port), &hints, &found) == 0, let found else {
      throw .badAddress(name)
    }
    defer { freeaddrinfo(found) }
    let descriptor = try open(found.pointee.ai_family, name)
    var on: CInt = 1
    var off: CInt = 0
    setsockopt(descriptor.number, SOL_SOCKET, SO_REUSEADDR, &on, 4)
    if found.pointee.ai_family == AF_INET6 { setsockopt(descriptor.number, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &off, 4) }
    try bind(descriptor.number, found.pointee.ai_addr, found.pointee.ai_addrlen, name)
    try listen(descriptor.number, name)
    return try Listener(descriptor)
  }

  /// Listens on a Unix socket. A file that is left over from a process that is gone is replaced.
  package static func unix(path: String) throws(ListenerError) -> Listener {
    let name = "unix:\(path)"
    guard let address = SocketAddress(unixPath: path) else { throw .badAddress(name) }
    let descriptor = try open(AF_UNIX, name)
    guard address.withPointer({ connect(descriptor.number, $0, $1) }) != 0 else { throw .inUse(name) }
    if errno == ECONNREFUSED { removeSocket(path) }
    try address.withPointer { (pointer, size) throws(ListenerError) in
      try bind(descriptor.number, pointer, size, name)
    }
    let file = SocketFile(path)
    try listen(descriptor.number, name)
    return try Listener(descriptor, file: file)
  }

  /// Removes a socket's file; a connection to a file of another kind is refused too, and that one stays.
  private static func removeSocket(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
    unlink(path)
  }

  /// Takes a socket that was opened by another process, as systemd does it (descriptor 3), bound and listening.
  package static func inherited(_ descriptor: CInt) throws(ListenerError) -> Listener {
    var listens: CInt = 0
    var size = socklen_t(4)
    let name = "descriptor \(descriptor)"
    guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 else {
      throw .failed(name, errno: errno)
    }
    guard listens != 0 else { throw .badAddress("\(name), which does not listen,") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return try Listener(Descriptor(descriptor))
  }

  private static func open(_ family: CInt, _ name: String) throws(ListenerError) -> Descriptor {
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { throw ListenerError(name, errno: errno) }
    return Descriptor(descriptor)
  }

  private static func bind(
    _ descriptor: CInt, _ address: UnsafePointer<sockaddr>?, _ size: socklen_t, _ name: String
  ) throws(ListenerError) {
    if Glibc.bind(descriptor, address, size) != 0 { throw ListenerError(name, errno: errno) }
  }

  private static func listen(_ descriptor: CInt, _ name: String) throws(ListenerError) {
    if Glibc.listen(descriptor, backlog) != 0 { throw ListenerError(name, errno: errno) }
  }
}
