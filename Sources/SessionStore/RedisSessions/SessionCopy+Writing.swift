internal import PINEntry

extension SessionCopy {
  /// Commits what an edit has made of a copy, or, if it has changed nothing, asks whether Redis still has the same. Then
  /// the copy has the stamp of what was written. Of a base that is known to be the newest it isn't asked.
  ///
  /// - Parameters:
  ///   - base: what the copy was before the edit.
  ///   - time: of the edit, by Redis's clock.
  ///   - deadline: until when it may take.
  /// - Returns: nil if Redis can't be reached.
  mutating func commit(
    _ base: Base, at time: Instant, _ keys: RedisKeys, in common: RedisCommon, by deadline: Deadline
  ) -> RedisAnswer? {
    guard let record = content.record else { return .gone }
    let hasNews = record.pointee.eventID != base.eventID || base.stamp == nil
    guard hasNews || (content.notes?.rememberedCount ?? 0) != base.rememberedCount else {
      return base.isNewest ? .same : Self.look(base, keys, in: common, by: deadline)
    }
    let new = UInt64.random(in: 1 ... .max)
    stamp = new
    if hasNews { eventStamp = new }
    var parts = CommitParts(base, new)
    parts.addTime(common.clock.followsRedis ? time : nil)
    parts.addRecord(stored(new), until: record.pointee.lastMoment)
    parts.addText(record, base, common.ring)
    parts.addRemembered(content.notes, base, isOpen: record.pointee.status == .open)
    parts.addEvents(content.log, from: base.eventID, to: record.pointee.eventID, new, keys.channel)
    let script = Self.freesMemory(record, base) ? SessionScripts.freeingCommit : SessionScripts.commit
    return parts.withArguments { common.ask(script, keys, $0, by: deadline) }
  }

  /// Whether what was made of the base closes the session, clears its text, or lets the owner have it, after which there
  /// is only a verdict: it writes little, which can't be done again and again, and lets go of more now or soon. So does
  /// what ends the entry, and it may be a timer that is due when somebody only looks; to begin again takes memory.
  private static func freesMemory(_ record: UnsafeMutablePointer<Session>, _ base: Base) -> Bool {
    guard base.stamp != nil else { return false }
    let hasChanged = record.pointee.changedAt != base.changedAt
    let clears = hasChanged && !record.pointee.hasText
    let ends = !hasChanged && base.active && !record.pointee.active
    return record.pointee.status != .open || record.pointee.held || clears || ends
  }

  /// Asks whether Redis still has the same.
  static func look(_ base: Base, _ keys: RedisKeys, in common: RedisCommon, by deadline: Deadline) -> RedisAnswer? {
    var stamp = base.stamp?.littleEndian ?? 0
    return withUnsafeBytes(of: &stamp) { stamp in
      common.ask(SessionScripts.look, keys, lookArguments(base, stamp), by: deadline)
    }
  }

  /// The arguments of a look.
  /// - Parameter stamp: the bytes of the base's; any without one.
  static func lookArguments(_ base: Base, _ stamp: UnsafeRawBufferPointer) -> [RedisArgument] {
    // Without a stamp nothing is the same.
    let known = base.stamp == nil ? UnsafeRawBufferPointer(start: nil, count: 0) : stamp
    return [.bytes(known), .number(Int64(base.eventID))]
  }

  private func stored(_ stamp: UInt64) -> SessionRecord? {
    guard let record = content.record else { return nil }
    var stored = SessionRecord(
      stamp: stamp, eventStamp: eventStamp, kept: record.pointee.kept, presentation: content.presentation)
    stored.messages = content.notes?.messages ?? []
    stored.configurations = content.notes?.configurations ?? []
    stored.sealed = content.notes?.sealed
    stored.past = content.notes?.past
    stored.unknown = unknown
    return stored
  }
}

/// The arguments of a commit: their bytes one after the other, and where each is.
private struct CommitParts {
  private var out = PackedWriter(capacity: 1024)
  private var arguments: [Part] = []

  private enum Part {
    case bytes(Range<Int>)
    case number(Int64)
    case text(String)
    case word(StaticString)
  }

  init(_ base: SessionCopy.Base, _ stamp: UInt64) {
    add { out in if let stamp = base.stamp { out.append(stamp) } }
    add { $0.append(stamp) }
  }

  private mutating func add(_ write: (inout PackedWriter) -> Void) {
    let start = out.bytes.count
    write(&out)
    arguments.append(.bytes(start..<out.bytes.count))
  }

  mutating func addTime(_ time: Instant?) {
    arguments.append(time.map { .number($0.milliseconds) } ?? .word(""))
  }

  mutating func addRecord(_ stored: SessionRecord?, until end: Instant) {
    add { out in stored?.write(to: &out) }
    arguments.append(.number(end.milliseconds))
  }

  mutating func addText(_ record: UnsafeMutablePointer<Session>, _ base: SessionCopy.Base, _ ring: KeyRing) {
    let hasText = record.pointee.status == .open && record.pointee.hasText
    if !hasText {
      arguments.append(.word("-"))
    } else if record.pointee.changedAt != base.changedAt || record.pointee.isSealed {
      // Of a text that is sealed to somebody only zeros are kept here, also if it got complete without a change.
      let sealed = SealedText.seal(record.pointee, ring)
      add { $0.append(raw: sealed) }
    } else {
      arguments.append(.word(""))
    }
    arguments.append(.number(record.pointee.totalDeadline.milliseconds))
  }

  mutating func addRemembered(_ notes: Notes?, _ base: SessionCopy.Base, isOpen: Bool) {
    // One access remembers one change at most.
    let change = notes.flatMap { $0.rememberedCount > base.rememberedCount ? $0.remembered.last : nil }
    add { out in change?.write(to: &out) }
    arguments.append(.word(isOpen ? "" : "-"))
  }

  mutating func addEvents(
    _ log: borrowing EventLog, from known: UInt64, to newest: UInt64, _ stamp: UInt64, _ channel: String
  ) {
    arguments.append(.number(Int64(known)))
    arguments.append(.text(channel))
    guard known < newest else { return }
    for id in known + 1...newest {
      guard let event = log.record(age: newest - id) else { continue }
      add { StoredEvent(stamp: stamp, event: event).write(to: &$0) }
    }
  }

  func withArguments<R>(_ body: ([RedisArgument]) -> R) -> R {
    out.bytes.withUnsafeBytes { bytes in
      body(
        arguments.map { part in
          switch part {
          case .bytes(let range): .bytes(UnsafeRawBufferPointer(rebasing: bytes[range]))
          case .number(let number): .number(number)
          case .text(let text): .text(text)
          case .word(let word): .literal(word)
          }
        })
    }
  }
}
