internal import CSodium
internal import Glibc

/// 128 bits that stand for something secret; nothing can be told from them without the key.
package struct Hash128: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  /// Takes as long whichever bits differ.
  func equalsInConstantTime(_ other: Hash128) -> Bool { (high ^ other.high) | (low ^ other.low) == 0 }
}

/// A key for hashes that stand for what nobody is to know: random and this process's alone, or shared by the nodes of a
/// Redis.
package struct HashKey: Sendable {
  private let high: UInt64
  private let low: UInt64
  /// Keys that were used before, from the newest on.
  package let older: [HashKey]

  package init() {
    high = .random(in: .min ... .max)
    low = .random(in: .min ... .max)
    older = []
  }

  /// - Parameter key: 16 bytes.
  init(_ key: UnsafeRawBufferPointer) {
    high = key.loadUnaligned(as: UInt64.self)
    low = key.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    older = []
  }

  init(_ key: HashKey, older: [HashKey]) {
    high = key.high
    low = key.low
    self.older = older
  }

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
