import PINEntry
import Testing

@testable import SessionStore

/// Sessions as they are written for a store outside of this process.
@Suite struct RecordTests {
  private let style = StyleChoice(
    name: "boxes",
    options: [
      StyleOption(name: "cellSize", value: .number(50.5)), StyleOption(name: "dotColor", value: .color("#aabbcc")),
      StyleOption(name: "caret", value: .flag(true)), StyleOption(name: "border", value: .flag(false)),
      StyleOption(name: "groups", value: .groups([2, 3, 1])),
    ])

  @Test func `a session that was edited at random is the same after writing and reading`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = Random(seed)
    for _ in 0..<300 {
      let record = record(&random)
      let read = try record.bytes.withUnsafeBytes { bytes throws(RecordError) in try SessionRecord(bytes) }
      #expect(read.stamp == record.value.stamp && read.eventStamp == record.value.eventStamp, "seed \(seed)")
      #expect(read.kept == record.value.kept, "seed \(seed)")
      #expect(read.presentation == record.value.presentation, "seed \(seed)")
      #expect(read.messages.map(\.message) == record.value.messages.map(\.message), "seed \(seed)")
      #expect(read.configurations.map(\.revision) == record.value.configurations.map(\.revision), "seed \(seed)")
      #expect(
        read.configurations.map(\.configuration.options) == record.value.configurations.map(\.configuration.options))
      #expect(read.sealed == record.value.sealed, "seed \(seed)")
      #expect(isSame(read.past, record.value.past), "seed \(seed)")
      #expect(read.unknown == record.value.unknown, "seed \(seed)")
    }
  }

  @Test func `a record that was cut off or changed is refused or read, and never runs beyond its end`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = Random(seed)
    let whole = record(&random).bytes
    for count in 0..<whole.count {
      let cut = Array(whole[..<count])
      let isRead = (try? cut.withUnsafeBytes { try SessionRecord($0) }) != nil
      // Only between two tagged parts it may end.
      if count < 150 { #expect(!isRead, "\(count) of \(whole.count), seed \(seed)") }
    }
    for _ in 0..<20_000 {
      var changed = whole
      changed[Int(random.next() % UInt64(changed.count))] = UInt8(truncatingIfNeeded: random.next())
      _ = try? changed.withUnsafeBytes { try SessionRecord($0) }
    }
  }

  @Test func `what a newer program added stays when an older one writes the record`() throws {
    var random = Random(7)
    var out = PackedWriter(capacity: 1024)
    let old = record(&random)
    out.append(raw: old.bytes)
    out.appendSection(200) { $0.append("of a newer program") }
    let read = try out.bytes.withUnsafeBytes { bytes throws(RecordError) in try SessionRecord(bytes) }
    var again = PackedWriter(capacity: 1024)
    read.write(to: &again)
    let text = String(decoding: again.bytes, as: UTF8.self)
    #expect(text.contains("of a newer program"))
  }

  @Test func `a record of another layout is refused`() {
    var random = Random(7)
    var bytes = record(&random).bytes
    bytes[0] = 2
    #expect(throws: RecordError.newer) {
      try bytes.withUnsafeBytes { bytes throws(RecordError) in try SessionRecord(bytes) }
    }
  }

  @Test func `the stamp is where the scripts look for it`() {
    var random = Random(7)
    let record = record(&random)
    let place = record.bytes[SessionRecord.stampPlace]
    #expect(place.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } == record.value.stamp)
  }

  @Test func `an event, a remembered change and a creation are the same after writing and reading`() throws {
    let state = SessionState(
      length: 6, count: 3, status: .locked, active: true, held: false, rejected: true, attempts: 1 << 31,
      completion: 2, revision: 70_000, expiresAt: 3_000_000_000)
    let event = StoredEvent(stamp: 1 << 63, event: EventRecord(state: state, kind: .end, reason: .timeout))
    #expect(try written { event.write(to: &$0) }.withUnsafeBytes { try StoredEvent($0) } == event)

    let hashes = HashKey()
    let configuration = SessionConfiguration(
      options: EntryOptions(length: 8), presentation: Presentation(label: "Ünï", style: style))
    let change = Recalled(
      key: hash("k", hashes), request: hash("r", hashes),
      outcome: Outcome(
        state: state, eventID: 1 << 40, insertion: Insertion(accepted: 6, truncated: 250),
        details: Outcome.Details(message: "No", configuration: configuration)))
    let recalled = try written { change.write(to: &$0) }.withUnsafeBytes { try Recalled($0) }
    #expect(recalled.key == change.key && recalled.request == change.request)
    #expect(recalled.outcome.state == state && recalled.outcome.eventID == 1 << 40)
    #expect(recalled.outcome.insertion == Insertion(accepted: 6, truncated: 250))
    #expect(recalled.outcome.details?.message == "No")
    #expect(recalled.outcome.details?.configuration?.presentation == configuration.presentation)

    let creation = Creation(
      id: SessionID(high: 1, low: 2), nonce: SessionID(high: 3, low: 4), createdOn: 5, configuration: configuration)
    let read = try written { creation.write(request: change.request, to: &$0) }.withUnsafeBytes {
      try Creation.read($0)
    }
    #expect(read.request == change.request)
    #expect(read.creation.id == creation.id && read.creation.nonce == creation.nonce && read.creation.createdOn == 5)
    #expect(read.creation.configuration.options == configuration.options)
  }

  private func written(_ write: (inout PackedWriter) -> Void) -> [UInt8] {
    var out = PackedWriter(capacity: 64)
    write(&out)
    return out.bytes
  }

  /// A session after some edits, and its record.
  private func record(_ random: inout Random) -> (value: SessionRecord, bytes: [UInt8]) {
    let id = SessionID(high: random.next(), low: random.next())
    let options = EntryOptions(
      length: UInt8.random(in: 1...32, using: &random), alphabet: .allCases.randomElement(using: &random)!,
      overflow: .allCases.randomElement(using: &random)!, reveal: .random(using: &random),
      endsOnComplete: .random(using: &random), maxAttempts: UInt8.random(in: 0...100, using: &random),
      timeouts: Timeouts(total: .random(in: 1...86_400, using: &random), firstInput: 3, interDigit: 4),
      seals: .random(using: &random))
    var session = Session(
      id: id, nonce: id, options: options, at: Instant(milliseconds: 1_800_000_000_000), on: 1_800_000)
    for _ in 0..<Int.random(in: 0...9, using: &random) {
      let now = Instant(milliseconds: session.createdAt.milliseconds + 1)
      switch random.next() % 5 {
      case 0, 1: _ = try? session.insert([0x31].span, at: now)
      case 2: try? session.deleteBackward(at: now)
      case 3: try? session.redeem(hold: true, at: now) { _ in }
      default: try? session.reject(at: now)
      }
      _ = session.takeEvents()
    }
    let presentation = Presentation(
      label: "Ünï 🔒", style: style, metadata: [Metadatum(key: "a", value: ""), Metadatum(key: "b", value: "ß")],
      sealTo: options.seals ? PublicKey(bytes: (0..<32).map { _ in .random(in: 0...255, using: &random) }) : nil)
    var record = SessionRecord(
      stamp: random.next(), eventStamp: random.next(), kept: session.kept, presentation: presentation)
    record.messages = (0..<UInt32.random(in: 0...2, using: &random)).map {
      Notes.Message(revision: $0, message: "no \($0)")
    }
    record.configurations = (0..<UInt32.random(in: 0...2, using: &random)).map {
      Notes.Configuration(
        revision: $0, configuration: SessionConfiguration(options: options, presentation: presentation))
    }
    if Bool.random(using: &random) {
      var before = options
      if Bool.random(using: &random) { before.maxAttempts = options.maxAttempts ^ 1 }
      record.past = Past(
        point: Instant(milliseconds: 1_800_000_000_500), state: session.state, eventID: session.eventID,
        message: [nil, "", "wrong"].randomElement(using: &random)!, options: before,
        presentation: Bool.random(using: &random) ? presentation : Presentation(label: "before", style: style))
    }
    if options.seals { record.sealed = (0..<52).map { _ in .random(in: 0...255, using: &random) } }
    var out = PackedWriter(capacity: 512)
    record.write(to: &out)
    return (record, out.bytes)
  }
}

/// Whether two are the same, but for events.
private func isSame(_ a: Past?, _ b: Past?) -> Bool {
  guard let a, let b else { return (a == nil) == (b == nil) }
  return a.point == b.point && a.state == b.state && a.eventID == b.eventID && a.message == b.message
    && a.options == b.options && a.presentation == b.presentation
}
