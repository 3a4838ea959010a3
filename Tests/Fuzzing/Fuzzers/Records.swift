@testable import SessionStore

/// What is read from a Redis: whatever is accepted is the same when it is written and read again.
enum Records {
  static func run(_ input: UnsafeRawBufferPointer) {
    check(input, { bytes throws(RecordError) in try SessionRecord(bytes) }, { $0.write(to: &$1) })
    check(input, { bytes throws(RecordError) in try StoredEvent(bytes) }, { $0.write(to: &$1) })
    check(input, { bytes throws(RecordError) in try Recalled(bytes) }, { $0.write(to: &$1) })
    check(
      input, { bytes throws(RecordError) in try Creation.read(bytes) },
      { $0.creation.write(request: $0.request, to: &$1) })
  }

  private static func check<Record>(
    _ input: UnsafeRawBufferPointer, _ read: (UnsafeRawBufferPointer) throws(RecordError) -> Record,
    _ write: (Record, inout PackedWriter) -> Void
  ) {
    guard let record = try? read(input) else { return }
    let written = bytes(record, write)
    guard let again = try? written.withUnsafeBytes({ bytes throws(RecordError) in try read(bytes) }) else {
      fatalError("its own bytes are refused")
    }
    precondition(bytes(again, write) == written, "its own bytes mean something else")
  }

  private static func bytes<Record>(_ record: Record, _ write: (Record, inout PackedWriter) -> Void) -> [UInt8] {
    var out = PackedWriter(capacity: 256)
    write(record, &out)
    return out.bytes
  }
}
