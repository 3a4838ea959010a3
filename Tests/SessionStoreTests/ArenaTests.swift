import PINEntry
import Testing

@testable import SessionStore

@Suite struct ArenaTests {
  private let slotSize = MemoryLayout<Session>.stride

  @Test func `slots lie apart, also when more than one chunk is needed`() throws {
    let arena = try Arena(.preferred)
    let addresses = try (0..<20_000).map { _ in UInt(bitPattern: try arena.allocate()) }.sorted()
    for (before, after) in zip(addresses, addresses.dropFirst()) { #expect(after - before >= UInt(slotSize)) }
  }

  @Test func `a slot that was given back is used again`() throws {
    let arena = try Arena(.preferred)
    let slot = try arena.allocate()
    arena.release(slot)
    #expect(try arena.allocate() == slot)
  }

  @Test func `nothing of a text is left in a slot that was given back`() throws {
    let arena = try Arena(.preferred)
    let slot = try arena.allocate()
    slot.initialize(to: session())
    let digits: [UInt8] = Array("01234567890123456789012345678901".utf8)
    _ = try slot.pointee.insert(digits.span, at: Instant(milliseconds: 0))
    #expect(self.digits(in: slot) == 32)
    arena.release(slot)
    let memory = UnsafeRawBufferPointer(start: slot, count: slotSize)
    // The first bytes say where the next free slot is.
    #expect(memory[MemoryLayout<UInt>.size...].allSatisfy { $0 == 0 })
  }

  @Test func `closing leaves nothing of the text in its slot`() throws {
    let arena = try Arena(.preferred)
    let slot = try arena.allocate()
    slot.initialize(to: session())
    let digits: [UInt8] = Array("98765432109876543210987654321098".utf8)
    _ = try slot.pointee.insert(digits.span, at: Instant(milliseconds: 0))
    try slot.pointee.cancel(at: Instant(milliseconds: 1))
    // The set of events could look like a digit.
    _ = slot.pointee.takeEvents()
    #expect(slot.pointee.count == 32)
    #expect(self.digits(in: slot) == 0)
  }

  /// A session with nothing in it that looks like a digit.
  private func session() -> Session {
    let id = SessionID(high: 0, low: 0)
    return Session(id: id, nonce: id, options: EntryOptions(length: 32), at: Instant(milliseconds: 0), on: 0)
  }

  /// How many bytes of a slot could be digits; the options' 300 s are `2C 01` and their length `20`.
  private func digits(in slot: UnsafeMutablePointer<Session>) -> Int {
    UnsafeRawBufferPointer(start: slot, count: slotSize).count { (0x30...0x39).contains($0) }
  }
}
