import MicroHTTP
import SessionStore
import WipingBuffer

/// A request that may be sent again: its key and what it asks, each only as a keyed hash, since the body may hold
/// digits.
struct IdempotencyKey {
  let key: Hash128
  let request: Hash128
  /// The same by keys of the service that were replaced lately.
  let older: [(key: Hash128, request: Hash128)]

  /// Nil without the field. `"k"` and `k` are the same key.
  init?(_ request: borrowing Request, _ hashing: HashKey) throws(Problem) {
    guard let field = request.header("Idempotency-Key") else { return nil }
    let isQuoted = field.count >= 2 && field.first == UInt8(ascii: "\"") && field.last == UInt8(ascii: "\"")
    let key = isQuoted ? UnsafeRawBufferPointer(rebasing: field.dropFirst().dropLast()) : field
    guard (1...64).contains(key.count), key.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .invalid([FieldError(.header("Idempotency-Key"), "is not 1 to 64 visible ASCII characters")])
    }
    self.key = hashing.hash(key)
    var bytes = Bytes(capacity: 256)
    bytes.append(request.methodText)
    bytes.append(byte: UInt8(ascii: " "))
    bytes.append(request.path)
    // A path has no line break, so no other request gives the same bytes.
    bytes.append("\n")
    bytes.append(request.body)
    self.request = bytes.withBytes { hashing.hash($0) }
    older = hashing.older.map { hashing in (key: hashing.hash(key), request: bytes.withBytes { hashing.hash($0) }) }
  }
}
