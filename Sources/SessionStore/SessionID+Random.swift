internal import CSodium
internal import PINEntry

extension SessionID {
  /// An id and a nonce, both at once: the system is asked for random bits only once.
  static func randomPair() -> (SessionID, SessionID) {
    var bits: [4 of UInt64] = [0, 0, 0, 0]
    withUnsafeMutableBytes(of: &bits) { randombytes_buf($0.baseAddress!, $0.count) }
    return (SessionID(high: bits[0], low: bits[1]), SessionID(high: bits[2], low: bits[3]))
  }
}
