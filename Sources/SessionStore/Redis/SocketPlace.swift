internal import Glibc

/// A socket address: what a name or a path stands for.
struct SocketPlace: Sendable {
  private let storage: sockaddr_storage
  private let length: socklen_t

  /// A copy of an address; nil if it is too long to be one.
  init?(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) {
    guard length <= MemoryLayout<sockaddr_storage>.size else { return nil }
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { storage in
      storage.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
    }
    self.storage = storage
    self.length = length
  }

  /// A unix socket's; nil if the path is too long.
  init?(path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    // With the zero at its end.
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let place = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketPlace($0, length) }
    }
    guard let place else { return nil }
    self = place
  }

  private var isUnix: Bool { storage.ss_family == sa_family_t(AF_UNIX) }

  /// A connected socket, closed on exec, whose reads and writes take at most so many milliseconds each; or why there
  /// is none.
  func connect(within milliseconds: Int) -> Result<Int32, SystemError> {
    let descriptor = socket(Int32(storage.ss_family), Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return .failure(SystemError()) }
    // The limit of a write is that of connect too (socket(7)).
    Self.limit(descriptor, milliseconds)
    if !isUnix { Self.setOptions(descriptor) }
    var storage = storage
    let failure = withUnsafePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) }
    }
    guard failure == 0 else {
      // What connect says when its time is over.
      let error = SystemError(errno == EINPROGRESS || errno == EAGAIN ? ETIMEDOUT : errno)
      close(descriptor)
      return .failure(error)
    }
    return .success(descriptor)
  }

  /// How long a read or a write of a socket may take.
  static func limit(_ descriptor: Int32, _ milliseconds: Int) {
    // Zero would mean for ever.
    let milliseconds = max(1, milliseconds)
    var time = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
  }

  private static func setOptions(_ descriptor: Int32) {
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    // So that a connection that rests is known to be dead after half a minute, and not after two hours.
    set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 15)
    set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5)
    set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// What the system says about a call that failed.
struct SystemError: Error, CustomStringConvertible {
  let number: Int32

  /// The last call's.
  init(_ number: Int32 = errno) { self.number = number }

  var description: String { String(cString: strerror(number)) }
}
