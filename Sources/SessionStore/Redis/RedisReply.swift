internal import CHiredis

/// What Redis answered; its memory is given back with it. There are no secrets in it to wipe: digits are in Redis only
/// sealed.
package struct RedisReply: ~Copyable {
  // Owned by this value alone, which can't be copied.
  private let pointer: UnsafeMutablePointer<redisReply>

  init(_ pointer: UnsafeMutablePointer<redisReply>) { self.pointer = pointer }

  deinit { freeReplyObject(pointer) }

  /// Calls `body` with what is in it; the value and its parts are valid only within the call.
  package borrowing func withValue<R: ~Copyable, E: Error>(_ body: (RedisValue) throws(E) -> R) throws(E) -> R {
    try body(RedisValue(pointer))
  }

  /// A number.
  package var integer: Int64? { withValue { $0.integer } }
  /// A copy of a string.
  package var text: String? { withValue { $0.text } }
  package var isNull: Bool { withValue { $0.isNull } }
}

/// What Redis answered to several commands, in their order.
package struct RedisReplies: ~Copyable {
  private var replies: [UnsafeMutablePointer<redisReply>] = []

  init(capacity: Int) { replies.reserveCapacity(capacity) }

  deinit { for reply in replies { freeReplyObject(reply) } }

  mutating func append(_ pointer: UnsafeMutablePointer<redisReply>) { replies.append(pointer) }

  /// Calls `body` with all of them, errors among them; they and their parts are valid only within the call.
  package borrowing func withValues<R: ~Copyable, E: Error>(_ body: ([RedisValue]) throws(E) -> R) throws(E) -> R {
    try body(replies.map { RedisValue($0) })
  }
}

/// A look at a reply or a part of one, within `withValue`.
package struct RedisValue {
  private let pointer: UnsafePointer<redisReply>

  init(_ pointer: UnsafePointer<redisReply>) { self.pointer = pointer }

  /// A number.
  package var integer: Int64? {
    pointer.pointee.type == REDIS_REPLY_INTEGER ? Int64(pointer.pointee.integer) : nil
  }

  /// A string's bytes, or a status'.
  package var bytes: UnsafeRawBufferPointer? {
    guard pointer.pointee.type == REDIS_REPLY_STRING || pointer.pointee.type == REDIS_REPLY_STATUS else { return nil }
    return UnsafeRawBufferPointer(start: pointer.pointee.str, count: pointer.pointee.len)
  }

  /// A copy of a string; what is not UTF-8 is replaced.
  package var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  /// Nothing: there is no such key, or an array or string that isn't there.
  package var isNull: Bool { pointer.pointee.type == REDIS_REPLY_NIL }

  /// An error, which only a reply among several or a part of one can be.
  package var failure: RedisFailure? {
    guard pointer.pointee.type == REDIS_REPLY_ERROR else { return nil }
    let bytes = UnsafeRawBufferPointer(start: pointer.pointee.str, count: pointer.pointee.len)
    return RedisFailure(String(decoding: bytes, as: UTF8.self))
  }

  package var isArray: Bool { pointer.pointee.type == REDIS_REPLY_ARRAY }

  /// How many elements an array has; 0 if it is none.
  package var count: Int { isArray ? pointer.pointee.elements : 0 }

  /// An array's element; nil if there is none.
  package subscript(index: Int) -> RedisValue? {
    guard index >= 0, index < count, let element = pointer.pointee.element[index] else { return nil }
    return RedisValue(element)
  }

  /// An array's elements; none if it is none.
  package var elements: [RedisValue] { (0..<count).compactMap { self[$0] } }
}
