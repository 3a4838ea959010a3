import CellSVG
import PINEntry
import SessionStore
import Testing
import WipingBuffer

@testable import PINService

/// What single steps of a request cost within the process, each without HTTP. In an ordinary run of the tests each step
/// is made a few times and what it did is checked; with PINPAD_COST_ROUNDS, in a release build, its time is told.
@Suite(.serialized) struct CostTests {
  let store: MemorySessionStore
  let session: SessionHandle
  let styles: StyleCatalog

  init() throws {
    styles = StyleFiles.embedded()
    store = try MemorySessionStore(maximum: 10, memoryLock: .preferred, clock: .system) { _ in }
    let style = styles.standard.definition
    session = try store.create(
      EntryOptions(), Presentation(label: "PIN", style: style.defaultChoice))
  }

  @Test func `an edit in the store: a digit, and a delete backward after it`() throws {
    let digit: [UInt8] = [0x37]
    try measure("edit") {
      _ = try session.access { access throws(EditError) in
        let now = access.now
        _ = try access.apply { session throws(EditError) in
          try session.insert(digit.span, if: Precondition(), at: now)
        }
      }
      _ = try session.access { access throws(EditError) in
        let now = access.now
        try access.apply { session throws(EditError) in try session.deleteBackward(if: Precondition(), at: now) }
      }
      // Two edits.
      return 2
    }
    guard case .done(let state) = session.access({ $0.session.state }) else { fatalError("the session is gone") }
    #expect(state.count == 0)
    #expect(state.revision >= 20)
  }

  @Test func `the body of an insert is read`() throws {
    let body = Array(#"{"text":"7"}"#.utf8)
    var last: UInt8 = 0
    try measure("body") {
      try body.withUnsafeBytes { bytes in
        var reader = try BodyReader(bytes)
        reader.allow("text", "at")
        last = reader.utf8("text", most: 256, isRequired: true)?.first ?? 0
        try reader.check()
      }
      return 1
    }
    #expect(last == 0x37)
  }

  @Test func `a picture of six cells, three of them filled`() throws {
    let definition = styles.standard.definition
    let state = SessionState(
      length: 6, count: 3, status: .open, active: true, held: false, rejected: false, attempts: 0, completion: 0,
      revision: 3, expiresAt: 0)
    var drawn = Bytes()
    try measure("picture") {
      var out = Bytes(capacity: 2048)
      Picture(
        definition.defaultChoice, of: definition, label: "PIN", state: state, reveal: false, width: 360, height: 60
      ).draw(into: &out)
      drawn = out
      return 1
    }
    let svg = drawn.withBytes { String(decoding: $0, as: UTF8.self) }
    #expect(svg.hasPrefix("<svg "))
    #expect(svg.split(separator: "<circle").count == 4)
  }

  @Test func `the document of an event`() throws {
    _ = try session.access { access throws(EditError) in
      let now = access.now
      _ = try access.apply { session throws(EditError) in
        try session.insert([0x37].span, if: Precondition(), at: now)
      }
    }
    var document = Bytes()
    try measure("event") {
      _ = session.access { access in
        guard let record = access.event(2) else { return }
        var out = Bytes(capacity: 512)
        EventText.appendData(record, id: 2, of: access, showsText: false, to: &out)
        document = out
      }
      return 1
    }
    let text = document.withBytes { String(decoding: $0, as: UTF8.self) }
    #expect(text.hasPrefix(#"{"id":""#) && text.hasSuffix("}"))
    #expect(text.contains(#""count":1"#) && text.contains(#""eventId":2"#))
  }
}
