internal import CSodium
internal import PINEntry

/// A session's text as it leaves the process: sealed by XChaCha20-Poly1305.
///
/// Layout: version, name of the key, nonce, 32 characters and the tag. All 32 are there whatever the count, so that the
/// size tells nothing; the nonce is random, so that the same text is never the same twice. A seal belongs to one session
/// and to one change of it: put at another place it does not open.
enum SealedText {
  static let version: UInt8 = 1
  private static let room = 32
  private static let tagCount = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)
  private static let nonceCount = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
  private static let headCount = 1 + 8 + nonceCount
  static let count = headCount + room + tagCount

  /// Seals a session's text with the ring's current key.
  static func seal(_ session: borrowing Session, _ ring: KeyRing) -> [UInt8] {
    let key = ring.sealing[0]
    var out = PackedWriter(capacity: count)
    out.append(version)
    out.append(key.name)
    var sealed = out.bytes + [UInt8](repeating: 0, count: count - out.bytes.count)
    var text = InlineArray<32, UInt8>(repeating: 0)
    var end = 0
    session.forEachCharacter { character in
      text[end] = character
      end += 1
    }
    let place = place(session.id, session.changedAt, UInt8(session.count))
    sealed.withUnsafeMutableBufferPointer { sealed in
      // The buffer has `count` bytes, and an array of that many has a start.
      let start = sealed.baseAddress!
      randombytes_buf(start + 9, nonceCount)
      withUnsafeMutableBytes(of: &text) { text in
        key.key.withBytes { key in
          _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
            start + headCount, nil, text.baseAddress!.assumingMemoryBound(to: UInt8.self), UInt64(room), place,
            UInt64(place.count), nil, start + 9, key.baseAddress!.assumingMemoryBound(to: UInt8.self))
        }
        sodium_memzero(text.baseAddress, text.count)
      }
    }
    return sealed
  }

  /// Whether it is sealed by a key of the ring, or is no sealed text.
  static func isSealed(_ sealed: [UInt8], by ring: KeyRing) -> Bool {
    guard sealed.count == count, sealed[0] == version else { return true }
    return sealed.withUnsafeBytes { sealed in ring.sealing.contains { $0.name == name(of: sealed) } }
  }

  private static func name(of sealed: UnsafeRawBufferPointer) -> UInt64 {
    UInt64(littleEndian: sealed.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
  }

  /// Opens the text of a session and puts it into `record`, which is in locked memory; false if it is not this session's
  /// or not of this change, or if no key of the ring opens it. Then the record is as it was.
  static func open(
    _ sealed: UnsafeRawBufferPointer, of kept: KeptSession, _ ring: KeyRing, into record: UnsafeMutablePointer<Session>
  ) -> Bool {
    guard sealed.count == count, sealed[0] == version else { return false }
    let name = name(of: sealed)
    guard let key = ring.sealing.first(where: { $0.name == name }) else { return false }
    let place = place(kept.id, kept.changedAt, kept.count)
    var text = InlineArray<32, UInt8>(repeating: 0)
    return withUnsafeMutableBytes(of: &text) { text in
      defer { sodium_memzero(text.baseAddress, text.count) }
      // Its count was checked, so it has a start.
      let start = sealed.baseAddress!.assumingMemoryBound(to: UInt8.self)
      let result = key.key.withBytes { key in
        crypto_aead_xchacha20poly1305_ietf_decrypt(
          text.baseAddress!.assumingMemoryBound(to: UInt8.self), nil, nil, start + headCount,
          UInt64(sealed.count - headCount), place, UInt64(place.count), start + 9,
          key.baseAddress!.assumingMemoryBound(to: UInt8.self))
      }
      guard result == 0 else { return false }
      record.initialize(to: Session(kept))
      record.pointee.restoreText(UnsafeRawBufferPointer(rebasing: text[..<Int(kept.count)]))
      return true
    }
  }

  /// What a seal belongs to, as associated data.
  private static func place(_ id: SessionID, _ changedAt: UInt32, _ count: UInt8) -> [UInt8] {
    var out = PackedWriter(capacity: 24)
    out.append(version)
    out.append(id)
    out.append(changedAt)
    out.append(count)
    return out.bytes
  }
}
