/// Lines that wait to be written, in memory that is there from the start. A line that does not fit is dropped, and the
/// next one that fits says how many were.
struct LogRing {
  private var bytes: [UInt8]
  private var start = 0
  private(set) var count = 0
  /// Lines that were dropped since the start.
  private(set) var dropped = 0
  private var untold = 0

  init(capacity: Int) { bytes = [UInt8](repeating: 0, count: capacity) }

  var isEmpty: Bool { count == 0 }

  var isHalfFull: Bool { count >= bytes.count / 2 }

  /// Takes a line.
  ///
  /// - Parameter object: a JSON object without its closing brace.
  mutating func append(_ object: UnsafeRawBufferPointer) {
    let note = untold > 0 ? ",\"dropped\":\(untold)}\n" : "}\n"
    guard object.count + note.utf8.count <= bytes.count - count else { return drop(1) }
    put(object)
    put(note.utf8)
    untold = 0
  }

  /// Counts lines that could not be written.
  mutating func drop(_ lines: Int) {
    dropped += lines
    untold += lines
  }

  /// Moves what has waited longest to the front of `chunk`, as much as fits; returns how many bytes.
  mutating func take(into chunk: inout [UInt8]) -> Int {
    let size = min(count, chunk.count)
    let first = min(size, bytes.count - start)
    chunk.replaceSubrange(..<first, with: bytes[start..<(start + first)])
    chunk.replaceSubrange(first..<size, with: bytes[..<(size - first)])
    start = (start + size) % bytes.count
    count -= size
    return size
  }

  private mutating func put(_ new: some Collection<UInt8>) {
    var end = (start + count) % bytes.count
    for byte in new {
      bytes[end] = byte
      end += 1
      if end == bytes.count { end = 0 }
    }
    count += new.count
  }
}
