internal import PINEntry

/// Why what Redis has can't be made a copy of.
enum LoadingError: Error {
  case unreadable(Unreadable)
  case noMemory
  /// It does not go on from the copy that there was: all of it has to be loaded.
  case steppedBack
}

extension SessionCopy {
  /// A copy of what Redis has.
  ///
  /// - Parameters:
  ///   - loaded: with all events that are kept.
  ///   - time: now, by Redis's clock.
  static func load(_ loaded: LoadedSession, at time: Instant, in common: RedisCommon) throws(LoadingError)
    -> SessionCopy
  {
    var log = EventLog()
    for (_, stored) in loaded.events { log.append(stored.event) }
    return try make(loaded, log, loaded.record.past, history: 0, lost: nil, at: time, in: common)
  }

  /// A copy of what Redis has, that goes on from this one.
  ///
  /// - Parameter loaded: with the events from this copy's newest one on, or all if it has none.
  func next(_ loaded: LoadedSession, at time: Instant, in common: RedisCommon) throws(LoadingError) -> SessionCopy {
    let known = content.record?.pointee.eventID ?? 0
    var log: EventLog
    // What this process has of the same point may have the events with it.
    var past = loaded.record.past
    if let own = content.notes?.past, own.point == past?.point { past = own }
    if known == 0 {
      log = EventLog()
      for (_, stored) in loaded.events { log.append(stored.event) }
    } else {
      // Without an event at the known place, or with one of another writing there, the past is another one.
      guard let (id, first) = loaded.events.first, id > known || first.stamp == eventStamp else { throw .steppedBack }
      // So many have come that the known one is not kept any more.
      log = id > known ? EventLog() : content.log.copy()
      for (id, stored) in loaded.events where id > known {
        if log.count == EventLog.maximum, let seen = past, id > seen.eventID {
          past = seen.keeping(log, newest: id - 1)
        }
        log.append(stored.event)
      }
    }
    return try Self.make(
      loaded, log, past, history: content.history, lost: content.notes?.lost, at: time, in: common)
  }

  /// A copy of what Redis has after it has lost what this one is of: its readers are told of a gap.
  ///
  /// - Parameters:
  ///   - loaded: with all events that are kept.
  ///   - readers: how many have got events that are lost.
  func another(
    _ loaded: LoadedSession, readers: Int, at time: Instant, in common: RedisCommon
  ) throws(LoadingError) -> SessionCopy {
    let known = content.record?.pointee.eventID ?? 0
    var log = EventLog()
    for (_, stored) in loaded.events { log.append(stored.event) }
    // What both have in common was told rightly.
    var shared = min(known, loaded.record.kept.eventID)
    while shared > 0, content.event(shared, newest: known) != loaded.event(shared) { shared -= 1 }
    let lost = shared < known ? (events: shared + 1...known, readers: readers) : nil
    return try Self.make(
      loaded, log, loaded.record.past, history: content.history &+ 1, lost: lost, at: time, in: common)
  }

  private static func make(
    _ loaded: LoadedSession, _ log: consuming EventLog, _ past: Past?, history: UInt16,
    lost: (events: ClosedRange<UInt64>, readers: Int)?, at time: Instant, in common: RedisCommon
  ) throws(LoadingError) -> SessionCopy {
    guard loaded.hasItsEvents(kept: log.count) else { throw .unreadable(.events) }
    let stored = loaded.record
    let record: UnsafeMutablePointer<Session>
    do throws(StoreError) { record = try common.arena.allocate() } catch { throw .noMemory }
    guard restore(loaded, into: record, at: time, common.ring) else {
      common.arena.release(record)
      throw .unreadable(SealedText.isSealed(loaded.sealed, by: common.ring) ? .text : .key)
    }
    var notes: Notes?
    let isPlain = stored.messages.isEmpty && stored.configurations.isEmpty && stored.sealed == nil
    if lost != nil || past != nil || !(isPlain && loaded.remembered.isEmpty) {
      let made = Notes(
        messages: stored.messages, configurations: stored.configurations, remembered: loaded.remembered)
      made.lost = lost
      made.past = past
      made.sealed = stored.sealed
      notes = made
    }
    let content = SessionContent(record, stored.presentation, log: log, notes: notes, history: history)
    return SessionCopy(
      content, stamp: stored.stamp, eventStamp: stored.eventStamp, unknown: stored.unknown, in: common.arena)
  }

  private static func restore(
    _ loaded: LoadedSession, into record: UnsafeMutablePointer<Session>, at time: Instant, _ ring: KeyRing
  ) -> Bool {
    let kept = loaded.record.kept
    if kept.status == .open && kept.count > 0 && !loaded.sealed.isEmpty {
      return loaded.sealed.withUnsafeBytes { SealedText.open($0, of: kept, ring, into: record) }
    }
    record.initialize(to: Session(kept))
    // The text goes when the time is over, and then nobody can ask for it any more: the first thing that happens to the
    // session is that it expires.
    return kept.status != .open || kept.count == 0 || record.pointee.totalDeadline <= time
  }
}

extension SessionContent {
  fileprivate func event(_ id: UInt64, newest: UInt64) -> EventRecord? { log.record(age: newest - id) }
}

extension LoadedSession {
  fileprivate func event(_ id: UInt64) -> EventRecord? { events.first { $0.id == id }?.event.event }

  /// Whether the events end with the record's newest one and have no gap: a log knows them by their number only.
  ///
  /// - Parameter count: how many the copy's log has then.
  fileprivate func hasItsEvents(kept count: UInt16) -> Bool {
    let newest = record.kept.eventID
    guard UInt64(count) <= newest else { return false }
    return zip(events.reversed(), 0...).allSatisfy { event, age in event.id == newest &- age }
      && (newest == 0 || !events.isEmpty)
  }
}
