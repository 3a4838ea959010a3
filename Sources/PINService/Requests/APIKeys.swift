import SessionStore

/// The keys that may create sessions, each only as a keyed hash.
struct APIKeys: Sendable {
  private let hashes: [Hash128]
  private let hashing: HashKey

  init(_ keys: [String], _ hashing: HashKey) {
    self.hashing = hashing
    hashes = keys.map { key in
      var key = key
      return key.withUTF8 { hashing.hash(UnsafeRawBufferPointer($0)) }
    }
  }

  var isEmpty: Bool { hashes.isEmpty }

  /// The hash of a key if it is one of these. Which one fits shows in no time, as what is compared is a keyed hash.
  func find(_ presented: UnsafeRawBufferPointer) -> Hash128? {
    let hash = hashing.hash(presented)
    return hashes.contains(hash) ? hash : nil
  }
}
