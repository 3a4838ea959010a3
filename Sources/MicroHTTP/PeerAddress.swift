import Glibc
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

  /// Reads an address as it is written, IPv6 without brackets and zone; nil for anything else.
  package init?(text: some Collection<UInt8>) {
    // The longest is that of a mapped address with all digits.
    guard text.count < Int(INET6_ADDRSTRLEN), !text.contains(0) else { return nil }
    var v4 = in_addr()
    var v6 = in6_addr()
    let family = withUnsafeTemporaryAllocation(of: CChar.self, capacity: text.count + 1) { characters in
      for (index, byte) in text.enumerated() { characters.initializeElement(at: index, to: CChar(bitPattern: byte)) }
      characters.initializeElement(at: text.count, to: 0)
      if inet_pton(AF_INET, characters.baseAddress, &v4) == 1 { return AF_INET }
      return inet_pton(AF_INET6, characters.baseAddress, &v6) == 1 ? AF_INET6 : AF_UNSPEC
    }
    switch family {
    case AF_INET:
      high = 0
      low = UInt64(bigEndian: 0xffff << 32 | UInt64(UInt32(bigEndian: v4.s_addr)))
      isUnix = false
    case AF_INET6: self = withUnsafeBytes(of: v6) { PeerAddress($0) }
    default: return nil
    }
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

  package var isIPv4: Bool { high == 0 && UInt64(bigEndian: low) >> 32 == 0xffff }

  /// What stands for whoever is there: of IPv6 the network, since whoever has one of its addresses has all of them
  /// (RFC 4291 §2.5.4).
  package var network: PeerAddress { isIPv4 ? self : prefix(64) }

  /// The address with all bits after the first `count` zero; a Unix socket is only itself.
  func prefix(_ count: Int) -> PeerAddress {
    let masks = (UInt64.max << UInt64(64 - min(count, 64)), UInt64.max << UInt64(128 - max(count, 64)))
    return PeerAddress(high: high & UInt64(bigEndian: masks.0), low: low & UInt64(bigEndian: masks.1), isUnix: isUnix)
  }

  private init(high: UInt64, low: UInt64, isUnix: Bool) {
    self.high = high
    self.low = low
    self.isUnix = isUnix
  }

  /// Calls `body` with the 16 bytes of the address.
  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    withUnsafeBytes(of: (high, low), body)
  }
}
