import Testing
import WipingBuffer

@Suite struct BytesTests {
  @Test func `what is appended is there in order`() {
    var bytes = Bytes()
    #expect(isEmpty(bytes) == true)
    bytes.append("{\"count\":" as StaticString)
    bytes.append(decimal: 3)
    bytes.append(byte: UInt8(ascii: ","))
    bytes.append(text: String("\"label\":\"é\""))
    let brace: [UInt8] = [0x7D]
    brace.withUnsafeBytes { bytes.append($0) }
    #expect(text(bytes) == "{\"count\":3,\"label\":\"é\"}")
    #expect(bytes.count == 24)
    #expect(isEmpty(bytes) == false)
  }

  @Test func `nothing appended changes nothing`() {
    var bytes = Bytes()
    bytes.append("" as StaticString)
    bytes.append(text: String())
    bytes.append(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(isEmpty(bytes) == true)
    #expect(text(bytes) == "")
  }

  @Test(arguments: [
    (0, "0"), (7, "7"), (10, "10"), (-1, "-1"), (99, "99"), (100, "100"), (Int.max, "9223372036854775807"),
    (Int.min, "-9223372036854775808"),
  ])
  func `numbers are written in decimal`(number: Int, text: String) {
    var bytes = Bytes()
    bytes.append(decimal: number)
    #expect(self.text(bytes) == text)
  }

  @Test func `numbers of every width are written`() {
    var bytes = Bytes()
    bytes.append(decimal: UInt64.max)
    bytes.append(byte: 0x20)
    bytes.append(decimal: Int8.min)
    bytes.append(byte: 0x20)
    bytes.append(decimal: UInt8.max)
    #expect(text(bytes) == "18446744073709551615 -128 255")
  }

  @Test(arguments: [0, 1, 63, 64, 65, 5000]) func `it grows past what it was made for`(capacity: Int) {
    var bytes = Bytes(capacity: capacity)
    var expected = ""
    for number in 0..<2000 {
      bytes.append(decimal: number)
      bytes.append(byte: UInt8(ascii: " "))
      expected += "\(number) "
    }
    #expect(text(bytes) == expected)
  }

  @Test func `forgetting keeps the memory, and leaves nothing in it`() {
    var bytes = Bytes(capacity: 64)
    bytes.append("012345" as StaticString)
    bytes.removeAll()
    #expect(isEmpty(bytes) == true)
    bytes.append(byte: UInt8(ascii: "x"))
    let released = bytes.release()
    defer { released.base?.deallocate() }
    #expect(released.count == 1)
    #expect(released.capacity == 64)
    let memory = UnsafeRawBufferPointer(start: released.base, count: 6)
    #expect(Array(memory) == [UInt8(ascii: "x"), 0, 0, 0, 0, 0])
  }

  @Test func `released memory holds what was written and is the caller's`() {
    var bytes = Bytes(capacity: 100)
    bytes.append("012345" as StaticString)
    let (base, count, capacity) = bytes.release()
    defer { base?.deallocate() }
    #expect(String(decoding: UnsafeRawBufferPointer(start: base, count: count), as: UTF8.self) == "012345")
    #expect(capacity == 100)
  }

  @Test func `an empty buffer has no memory to release`() {
    let released = Bytes().release()
    #expect(released.base == nil)
    #expect(released.count == 0)
    #expect(released.capacity == 0)
  }

  // The macro wants copies of what it looks into, and this can't be copied.
  private func isEmpty(_ bytes: borrowing Bytes) -> Bool { bytes.isEmpty }

  private func text(_ bytes: borrowing Bytes) -> String {
    bytes.withBytes { String(decoding: $0, as: UTF8.self) }
  }
}
