internal import CSodium
internal import Glibc

/// Bytes of a key: in memory of their own that is locked, left out of core dumps, and wiped when nobody needs them.
final class SecretBytes: @unchecked Sendable {
  // Written by initializers only.
  private let start: UnsafeMutablePointer<UInt8>
  private let count: Int

  private init(count: Int) {
    guard let memory = sodium_malloc(count) else { fatalError("no memory for a key") }
    start = memory.assumingMemoryBound(to: UInt8.self)
    self.count = count
  }

  deinit { sodium_free(start) }

  /// Nil unless it is `count` bytes, two digits each.
  convenience init?(hexadecimal digits: some Collection<UInt8>, count: Int) {
    guard digits.count == 2 * count else { return nil }
    self.init(count: count)
    for (index, digit) in digits.enumerated() {
      guard let value = Self.value(of: digit) else { return nil }
      start[index / 2] = index % 2 == 0 ? value << 4 : start[index / 2] | value
    }
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }

  /// What keys that are derived from one are for; the numbers are for ever.
  enum Purpose: UInt64 {
    case name = 1
    case sealing, tokens, hashes
  }

  /// A key of 16 to 64 bytes for one purpose, from which neither this one nor another can be told (libsodium, "Key
  /// derivation").
  ///
  /// To be called on a key of 32 bytes.
  func derived(_ purpose: Purpose, count: Int) -> SecretBytes {
    let key = SecretBytes(count: count)
    // It fails only for sizes that are none of these.
    guard self.count == Int(crypto_kdf_KEYBYTES),
      crypto_kdf_derive_from_key(key.start, count, purpose.rawValue, "pinpad01", start) == 0
    else { fatalError("a key of this size can't be derived") }
    return key
  }

  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    body(UnsafeRawBufferPointer(start: start, count: count))
  }

  static func == (a: SecretBytes, b: SecretBytes) -> Bool {
    a.count == b.count && sodium_memcmp(a.start, b.start, a.count) == 0
  }
}
