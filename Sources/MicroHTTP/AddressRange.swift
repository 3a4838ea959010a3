/// Addresses that begin alike: `10.0.0.0/8`, `2001:db8::/32`, or a single one.
package struct AddressRange: Equatable, Sendable {
  private let address: PeerAddress
  /// How many bits of the IPv6 form are compared.
  private let bits: Int

  /// Reads an address, or one with a number of bits after a slash; nil for anything else, and where a bit is set after
  /// those that count: it may have been meant otherwise.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = PeerAddress(text: parts[0].utf8) else { return nil }
    // As it is written: a mapped address counts all its bits.
    let mapped = parts[0].contains(":") ? 0 : 96
    var bits = 128
    if parts.count == 2 {
      guard parts[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let given = Int(parts[1]), given + mapped <= 128
      else { return nil }
      bits = given + mapped
    }
    guard address.prefix(bits) == address else { return nil }
    self.address = address
    self.bits = bits
  }

  package func contains(_ other: PeerAddress) -> Bool { !other.isUnix && other.prefix(bits) == address }
}
