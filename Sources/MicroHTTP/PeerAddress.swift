import MicroHTTPShim

/// Where a request came from: an IPv6 address (IPv4 addresses mapped, RFC 4291 §2.5.5.2), or a Unix socket.
package struct PeerAddress: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64
  /// Came over a Unix socket; its address is all zero.
  package let isUnix: Bool

  /// - Parameter bytes: 16 bytes, as on the wire.
  package init(_ bytes: UnsafeRawBufferPointer, isUnix: Bool = false) {
    high = bytes.loadUnaligned(as: UInt64.self)
    low = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    self.isUnix = isUnix
  }

  init(of request: OpaquePointer) {
    var bytes: (UInt64, UInt64) = (0, 0)
    // The shim writes the 16 bytes that the tuple has.
    let isInternet = withUnsafeMutableBytes(of: &bytes) { buffer in
      mhs_request_peer(request, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
    high = bytes.0
    low = bytes.1
    isUnix = !isInternet
  }

  /// From this machine: 127.0.0.0/8, ::1, or a Unix socket.
  package var isLoopback: Bool {
    if isUnix { return true }
    let address = (UInt64(bigEndian: high), UInt64(bigEndian: low))
    return address == (0, 1) || (address.0 == 0 && address.1 >> 24 == 0xffff7f)
  }

  /// Calls `body` with the 16 bytes of the address.
  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    withUnsafeBytes(of: (high, low), body)
  }
}
