internal import CSodium
internal import Glibc

/// 128 bits that stand for something secret; nothing can be told from them without the key.
package struct Hash128: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  /// Takes as long whichever bits differ.
  func equalsInConstantTime(_ other: Hash128) -> Bool { (high ^ other.high) | (low ^ other.low) == 0 }
}

/// A random key of this process, for hashes that never leave it.
package struct HashKey: Sendable {
  private let high = UInt64.random(in: .min ... .max)
  private let low = UInt64.random(in: .min ... .max)

  package init() {}

  /// SipHash-2-4 with 128 bits.
  package func hash(_ bytes: UnsafeRawBufferPointer) -> Hash128 {
    var key: [2 of UInt64] = [high, low]
    var out: [2 of UInt64] = [0, 0]
    withUnsafeBytes(of: &key) { key in
      withUnsafeMutableBytes(of: &out) { out in
        _ = crypto_shorthash_siphashx24(
          out.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
          UInt64(bytes.count), key.baseAddress!.assumingMemoryBound(to: UInt8.self))
      }
    }
    return Hash128(high: out[0], low: out[1])
  }
}
