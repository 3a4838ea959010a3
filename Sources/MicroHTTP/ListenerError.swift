import Glibc

/// Why there is no socket to listen on.
package enum ListenerError: Error, CustomStringConvertible {
  /// The address can't be read, or no machine has that name.
  case badAddress(String)
  /// Somebody else listens there.
  case inUse(String)
  /// It takes more rights: a port below 1024, or a directory.
  case notPermitted(String)
  /// Something else, said by the system.
  case failed(String, errno: CInt)

  init(_ address: String, errno code: CInt) {
    self =
      switch code {
      case EADDRINUSE: .inUse(address)
      case EACCES, EPERM: .notPermitted(address)
      case EADDRNOTAVAIL, ENAMETOOLONG, EAFNOSUPPORT: .badAddress(address)
      default: .failed(address, errno: code)
      }
  }

  package var description: String {
    switch self {
    case .badAddress(let address): "\(address) is not an address to listen on"
    case .inUse(let address): "\(address) is in use"
    case .notPermitted(let address): "listening on \(address) is not permitted"
    case .failed(let address, let code): "can't listen on \(address): \(String(cString: strerror(code)))"
    }
  }
}
