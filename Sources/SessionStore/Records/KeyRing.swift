internal import CSodium

/// The keys that all nodes of a Redis share: those for sealed texts, for tokens, and for the hashes of
/// `Idempotency-Key`s and requests. All are derived from the lines of one file, of which the first is the one that new
/// things are made with; the others still open what was made before.
package struct KeyRing: Sendable {
  let sealing: [SealingKey]
  let tokens: TokenKey
  /// The current one, which knows the older ones.
  let hashes: HashKey

  /// Why a text is no ring of keys; never with a part of a key.
  package enum Mistake: Error, Equatable, Sendable {
    case empty
    /// A line, counted from 1, that is not 64 hexadecimal digits.
    case line(Int)
    /// A line with a key that was there before.
    case twice(Int)
  }

  /// - Parameter text: a key of 64 hexadecimal digits a line; empty lines and those with a `#` in front don't count.
  ///   To wipe it is the caller's.
  package init(_ text: RawSpan) throws(Mistake) {
    Sodium.start()
    let read = text.withUnsafeBytes { Self.masters($0) }
    let masters = try read.get()
    sealing = masters.map { SealingKey($0) }
    tokens = TokenKey(
      masters.map {
        (
          name: UInt32(truncatingIfNeeded: SealingKey($0).name),
          key: $0.derived(.tokens, count: 32).withBytes { Array($0) }
        )
      })
    let hashes = masters.map { $0.derived(.hashes, count: 16).withBytes { HashKey($0) } }
    self.hashes = HashKey(hashes[0], older: Array(hashes.dropFirst()))
  }

  private static func masters(_ text: UnsafeRawBufferPointer) -> Result<[SecretBytes], Mistake> {
    var masters: [SecretBytes] = []
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let line = trimmed(line)
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      guard let master = SecretBytes(hexadecimal: line, count: 32) else { return .failure(.line(index + 1)) }
      guard !masters.contains(where: { $0 == master }) else { return .failure(.twice(index + 1)) }
      masters.append(master)
    }
    return masters.isEmpty ? .failure(.empty) : .success(masters)
  }

  private static func trimmed(_ line: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    var line = line
    while let last = line.last, last <= 0x20 { line = line.dropLast() }
    while let first = line.first, first <= 0x20 { line = line.dropFirst() }
    return line
  }
}

/// What texts are sealed with, and the name by which it is found again.
struct SealingKey: Sendable {
  /// Derived from the key, which can't be told from it.
  let name: UInt64
  let key: SecretBytes

  init(_ master: SecretBytes) {
    name = master.derived(.name, count: 16).withBytes { $0.loadUnaligned(as: UInt64.self) }
    key = master.derived(.sealing, count: 32)
  }
}
