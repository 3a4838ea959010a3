import PINEntry
import Testing

@testable import SessionStore

@Suite struct EventLogTests {
  @Test func `an empty log has no event`() {
    let log = EventLog()
    #expect(log.count == 0)
    #expect(log.oldest == nil)
    #expect(log.record(age: 0) == nil)
  }

  @Test(arguments: [1, 2, 4, 5, 8, 9, 255, 256]) func `until it is full every event is there`(number: UInt32) {
    var log = EventLog()
    for revision in 1...number { log.append(event(revision)) }
    #expect(log.count == UInt16(number))
    #expect(log.oldest == event(1))
    for age in 0..<number { #expect(log.record(age: UInt64(age)) == event(number - age)) }
    #expect(log.record(age: UInt64(number)) == nil)
  }

  @Test(arguments: [257, 300, 511, 512, 513, 70_000] as [UInt32])
  func `a full log has the newest 256`(number: UInt32) {
    var log = EventLog()
    for revision in 1...number { log.append(event(revision)) }
    #expect(log.count == 256)
    #expect(log.oldest == event(number - 255))
    for age in 0..<UInt32(256) { #expect(log.record(age: UInt64(age)) == event(number - age)) }
    #expect(log.record(age: 256) == nil)
    #expect(log.record(age: .max) == nil)
  }

  @Test func `an event takes 24 bytes`() {
    #expect(MemoryLayout<EventRecord>.stride == 24)
  }

  private func event(_ revision: UInt32) -> EventRecord {
    EventRecord(
      state: SessionState(
        length: 6, count: 0, status: .open, active: true, held: false, rejected: false, attempts: 0, completion: 0,
        revision: revision, expiresAt: 0),
      kind: .delete, reason: .none)
  }
}
