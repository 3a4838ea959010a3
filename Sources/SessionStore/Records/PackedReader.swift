internal import PINEntry

/// Why a record can't be read.
enum RecordError: Error, Equatable {
  /// A newer program wrote it, in a way that this one can't read.
  case newer
  /// It ends too early, or has what no record can have.
  case damaged
}

/// Reads what `PackedWriter` wrote; never beyond its end.
struct PackedReader {
  private var rest: UnsafeRawBufferPointer

  /// - Parameter bytes: have to stay where they are.
  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(RecordError) -> Number {
    let bytes = try take(MemoryLayout<Number>.size)
    return Number(littleEndian: bytes.loadUnaligned(as: Number.self))
  }

  mutating func id() throws(RecordError) -> SessionID { SessionID(high: try number(), low: try number()) }

  mutating func hash() throws(RecordError) -> Hash128 { Hash128(high: try number(), low: try number()) }

  mutating func text() throws(RecordError) -> String {
    let bytes = try take(Int(try number(UInt32.self)))
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .damaged }
    return text
  }

  mutating func list<Element>(
    _ each: (inout PackedReader) throws(RecordError) -> Element
  ) throws(RecordError) -> [Element] {
    var list: [Element] = []
    for _ in 0..<(try number(UInt16.self)) { list.append(try each(&self)) }
    return list
  }

  /// A value of an enumeration by its raw value.
  mutating func choice<Choice: RawRepresentable>(_ type: Choice.Type = Choice.self) throws(RecordError) -> Choice
  where Choice.RawValue == UInt8 {
    guard let choice = Choice(rawValue: try number()) else { throw .damaged }
    return choice
  }

  /// A tagged part, and a reader of what is in it.
  mutating func section() throws(RecordError) -> (tag: UInt8, content: UnsafeRawBufferPointer) {
    let tag: UInt8 = try number()
    return (tag, try take(Int(try number(UInt32.self))))
  }

  mutating func take(_ count: Int) throws(RecordError) -> UnsafeRawBufferPointer {
    guard count <= rest.count else { throw .damaged }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
    return UnsafeRawBufferPointer(rebasing: rest[..<count])
  }
}
