internal import CSodium
package import PINEntry

/// What a token's holder may do.
package enum Role: UInt8, Sendable, CaseIterable {
  /// Type.
  case entry
  /// Everything.
  case owner

  /// How its tokens begin, so that a leaked one can be recognised.
  package var prefix: StaticString {
    switch self {
    case .entry: "pinent_"
    case .owner: "pinown_"
    }
  }
}

/// The keyed hashes of a session's tokens (of their whole text, by a key of this process): checking one costs a tenth of
/// making it again.
package struct TokenHashes: Sendable {
  let entry: Hash128
  let owner: Hash128
}

/// The key that tokens are made with. A token is a keyed BLAKE2b of 256 bits of the session's id, the role and the
/// session's nonce: it need not be kept to be given again when a creation is retried.
///
/// Nodes that share sessions share several keys, of which a session's nonce names the one that its tokens are made with.
package struct TokenKey: Sendable {
  private let keys: [[UInt8]]
  /// The names of the keys; none where there is but one.
  private let names: [UInt32]
  private let hashing = HashKey()

  /// A random key, which lives as long as the process.
  package init() {
    Sodium.start()
    var key = [UInt8](repeating: 0, count: Int(crypto_generichash_KEYBYTES))
    randombytes_buf(&key, key.count)
    keys = [key]
    names = []
  }

  /// Keys that others have too, the current one first.
  init(_ keys: [(name: UInt32, key: [UInt8])]) {
    self.keys = keys.map(\.key)
    names = keys.map(\.name)
  }

  /// A nonce that names the current key.
  func named(_ nonce: SessionID) -> SessionID {
    guard let name = names.first else { return nonce }
    return SessionID(high: UInt64(name) << 32 | nonce.high & 0xFFFF_FFFF, low: nonce.low)
  }

  private func key(for nonce: SessionID) -> [UInt8] {
    keys[names.firstIndex(of: UInt32(truncatingIfNeeded: nonce.high >> 32)) ?? 0]
  }

  /// Calls `body` with each character of a token, in ASCII.
  package func forEachCharacter(_ role: Role, _ id: SessionID, _ nonce: SessionID, _ body: (UInt8) -> Void) {
    role.prefix.withUTF8Buffer { $0.forEach(body) }
    var mac = mac(role, id, nonce)
    defer { withUnsafeMutableBytes(of: &mac) { sodium_memzero($0.baseAddress, $0.count) } }
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for index in mac.indices {
      bits = bits << 8 | UInt32(mac[index])
      count += 8
      while count >= 6 {
        count -= 6
        body(Base64URL.character(UInt8(truncatingIfNeeded: bits >> count & 63)))
      }
    }
    body(Base64URL.character(UInt8(truncatingIfNeeded: bits << (6 - count) & 63)))
  }

  /// What a session keeps of its tokens.
  package func hashes(_ id: SessionID, _ nonce: SessionID) -> TokenHashes {
    TokenHashes(entry: hash(.entry, id, nonce), owner: hash(.owner, id, nonce))
  }

  private func hash(_ role: Role, _ id: SessionID, _ nonce: SessionID) -> Hash128 {
    var text = InlineArray<50, UInt8>(repeating: 0)
    var count = 0
    forEachCharacter(role, id, nonce) {
      text[count] = $0
      count += 1
    }
    return withUnsafeMutableBytes(of: &text) { text in
      defer { sodium_memzero(text.baseAddress, text.count) }
      return hashing.hash(UnsafeRawBufferPointer(text))
    }
  }

  /// Whose token it is; nil if it is none of the session's that these hashes are of.
  package func role(of presented: UnsafeRawBufferPointer, _ hashes: TokenHashes) -> Role? {
    let hash = hashing.hash(presented)
    let isEntry = hash.equalsInConstantTime(hashes.entry)
    let isOwner = hash.equalsInConstantTime(hashes.owner)
    return isEntry ? .entry : isOwner ? .owner : nil
  }

  private func mac(_ role: Role, _ id: SessionID, _ nonce: SessionID) -> InlineArray<32, UInt8> {
    let key = key(for: nonce)
    var message: [5 of UInt64] = [id.high, id.low, nonce.high, nonce.low, UInt64(role.rawValue)]
    var out = InlineArray<32, UInt8>(repeating: 0)
    withUnsafeBytes(of: &message) { message in
      withUnsafeMutableBytes(of: &out) { out in
        // Lengths are within BLAKE2b's limits, so it can't fail.
        _ = crypto_generichash(
          out.baseAddress!.assumingMemoryBound(to: UInt8.self), 32,
          message.baseAddress!.assumingMemoryBound(to: UInt8.self), UInt64(message.count), key, key.count)
      }
    }
    return out
  }
}
