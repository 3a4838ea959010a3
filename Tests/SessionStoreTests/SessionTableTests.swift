import PINEntry
import Testing

@testable import SessionStore

@Suite struct SessionTableTests {
  @Test func `what is put in is found, what is taken out is not`() throws {
    let made = try Made()
    var table = SessionTable()
    table.insert(made.session(1))
    #expect(table.find(id(1))?.id == id(1))
    #expect(table.find(id(2)) == nil)
    table.remove(id(1))
    #expect(table.find(id(1)) == nil)
  }

  @Test func `taking out what is not in changes nothing`() throws {
    let made = try Made()
    var table = SessionTable()
    table.remove(id(1))
    table.insert(made.session(1))
    table.remove(id(17))
    #expect(table.find(id(1)) != nil)
  }

  @Test func `sessions that want the same place are all found, in whatever order others go`() throws {
    let made = try Made()
    // The lowest bits of the higher half say the place.
    let rivals: [UInt64] = [15, 31, 47, 63, 0, 16, 1]
    for gone in rivals {
      var table = SessionTable()
      for number in rivals { table.insert(made.session(number)) }
      table.remove(id(gone))
      for number in rivals {
        let isFound = table.find(id(number)) != nil
        #expect(isFound == (number != gone), "\(number) without \(gone)")
      }
    }
  }

  @Test func `a long mixture of both agrees with a dictionary`() throws {
    let made = try Made()
    let seed = UInt64.random(in: .min ... .max)
    var random = Random(seed)
    var table = SessionTable()
    var model: [SessionID: MemorySession] = [:]
    for _ in 0..<20_000 {
      let number = random.next() % 700 * 5
      switch (model[id(number)], random.next() % 2) {
      case (nil, 0):
        let session = made.session(number)
        table.insert(session)
        model[id(number)] = session
      case (.some, 1):
        table.remove(id(number))
        model[id(number)] = nil
      case (let known, _):
        #expect(table.find(id(number)) === known, "seed \(seed)")
      }
    }
    for number in 0..<UInt64(3500) { #expect(table.find(id(number)) === model[id(number)], "seed \(seed)") }
  }

  private func id(_ number: UInt64) -> SessionID { SessionID(high: number, low: ~number) }

  /// Sessions that are in no store.
  private struct Made {
    private let shard: Shard
    private let record: UnsafeMutablePointer<Session>

    init() throws {
      let arena = try Arena(.preferred)
      record = try arena.allocate()
      shard = Shard(StoreCommon(.system, arena) { _ in })
    }

    func session(_ number: UInt64) -> MemorySession {
      let id = SessionID(high: number, low: ~number)
      let presentation = Presentation(label: "PIN", style: StyleChoice(name: "boxes", options: []))
      return MemorySession(id, nonce: id, on: 0, record, presentation, in: shard)
    }
  }
}
