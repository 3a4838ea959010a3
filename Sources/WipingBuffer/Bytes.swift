internal import Glibc

/// Bytes under construction: an answer, an event, a picture. They may hold digits or a token, so their memory is wiped
/// before it is given back, also when the buffer grows.
///
/// The memory comes from `malloc`, so that `release` can hand it to C code, which wipes and frees it by
/// `Bytes.free`. All pointer work is in this file: every access is within `count <= capacity`.
public struct Bytes: ~Copyable, Sendable {
  // Owned by this value alone, which can't be copied.
  @usableFromInline nonisolated(unsafe) var base: UnsafeMutableRawPointer?
  @usableFromInline var capacity: Int
  /// How many bytes have been written.
  @usableFromInline package internal(set) var count = 0

  /// - Parameter capacity: how many bytes to make room for at once.
  package init(capacity: Int = 0) {
    self.capacity = capacity
    base = capacity > 0 ? Self.allocate(capacity) : nil
  }

  deinit { Self.wipeAndFree(base, capacity) }

  package var isEmpty: Bool { count == 0 }

  // What most of an answer is written with is inlined: a literal's length is then known to the compiler, and a call would
  // cost more than the copy. The compiler inlines across modules what is public only, not what is package.

  @inlinable @inline(__always)
  public mutating func append(byte: UInt8) {
    reserve(1).storeBytes(of: byte, as: UInt8.self)
    count += 1
  }

  @inlinable @inline(__always)
  public mutating func append(_ text: StaticString) {
    let size = text.utf8CodeUnitCount
    reserve(size).copyMemory(from: text.utf8Start, byteCount: size)
    count += size
  }

  /// Has a label, as a literal would be taken for a `String` before a `StaticString`, which costs a multiple.
  package mutating func append(text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  /// A number below 100 in two digits.
  @inlinable @inline(__always)
  public mutating func append(twoDigits number: UInt32) {
    let digits = 0x3030 &+ (number / 10 | (number % 10) << 8)
    reserve(2).storeBytes(of: UInt16(truncatingIfNeeded: digits).littleEndian, as: UInt16.self)
    count += 2
  }

  /// A number in decimal.
  @inlinable
  public mutating func append(decimal number: some FixedWidthInteger) {
    if number < 0 { append(byte: UInt8(ascii: "-")) }
    append(decimal: UInt64(truncatingIfNeeded: number.magnitude))
  }

  /// A number in decimal.
  @inlinable
  public mutating func append(decimal number: UInt64) {
    // Most are counts of a few characters.
    if number < 10 { return append(byte: 0x30 &+ UInt8(truncatingIfNeeded: number)) }
    appendDigits(number)
  }

  @usableFromInline
  mutating func appendDigits(_ number: UInt64) {
    var rest = number
    let digits = Self.decimalDigits(in: rest)
    let start = reserve(digits)
    for place in stride(from: digits - 1, through: 0, by: -1) {
      start.storeBytes(of: 0x30 &+ UInt8(truncatingIfNeeded: rest % 10), toByteOffset: place, as: UInt8.self)
      rest /= 10
    }
    count += digits
  }

  /// Forgets everything, and keeps the memory, wiped.
  package mutating func removeAll() {
    if let base { explicit_bzero(base, count) }
    count = 0
  }

  /// Calls `body` with what has been written; the pointer is valid only within it.
  package borrowing func withBytes<R: ~Copyable, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E)
    -> R
  {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Gives up the memory: the caller wipes it over `capacity` bytes and frees it by `free`.
  package consuming func release() -> (base: UnsafeMutableRawPointer?, count: Int, capacity: Int) {
    let released = (base, count, capacity)
    discard self
    return released
  }

  @inlinable
  mutating func reserve(_ more: Int) -> UnsafeMutableRawPointer {
    if let base, count + more <= capacity { return base + count }
    return grow(more)
  }

  @usableFromInline
  mutating func grow(_ more: Int) -> UnsafeMutableRawPointer {
    let size = max(64, count + more, capacity * 2)
    let new = Self.allocate(size)
    if let base { new.copyMemory(from: base, byteCount: count) }
    Self.wipeAndFree(base, capacity)
    base = new
    capacity = size
    return new + count
  }

  private static func allocate(_ size: Int) -> UnsafeMutableRawPointer {
    // Like every allocation of Swift's own: without memory there is nothing to go on with.
    guard let memory = malloc(size) else { fatalError("out of memory") }
    return memory
  }

  private static func wipeAndFree(_ base: UnsafeMutableRawPointer?, _ size: Int) {
    guard let base else { return }
    explicit_bzero(base, size)
    free(base)
  }

  private static func decimalDigits(in number: UInt64) -> Int {
    var digits = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    return digits
  }
}
