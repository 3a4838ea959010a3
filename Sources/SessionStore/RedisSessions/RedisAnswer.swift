internal import PINEntry

/// What a script of `SessionScripts` answered.
enum RedisAnswer {
  /// The edit is committed.
  case made
  /// Nothing has changed since.
  case same
  case gone
  /// The edit's time is not Redis's.
  case late
  /// Something has changed since.
  case other(LoadedSession)

  /// The stamp that Redis has by this answer to a look; nil: none.
  func stamp(askedFor base: SessionCopy.Base) -> UInt64? {
    switch self {
    case .same: base.stamp
    case .other(let loaded): loaded.record.stamp
    case .made, .gone, .late: nil
    }
  }

  /// - Returns: the answer, and Redis's time in ms.
  static func read(_ value: RedisValue) throws(RecordError) -> (answer: RedisAnswer, time: Int64) {
    guard let time = value[0]?.integer, let word = value[1]?.text else { throw .damaged }
    switch word {
    case "made": return (.made, time)
    case "same": return (.same, time)
    case "gone": return (.gone, time)
    case "late": return (.late, time)
    case "other": return (.other(try LoadedSession(value)), time)
    default: throw .newer
    }
  }
}

/// A session as Redis has it.
struct LoadedSession {
  let record: SessionRecord
  /// Empty without one.
  let sealed: [UInt8]
  let remembered: [Recalled]
  /// From the newest known one on, or from the oldest that is kept.
  let events: [(id: UInt64, event: StoredEvent)]

  fileprivate init(_ value: RedisValue) throws(RecordError) {
    guard let record = value[2]?.bytes, let sealed = value[3]?.bytes, let remembered = value[4], let events = value[5]
    else { throw .damaged }
    self.record = try SessionRecord(record)
    self.sealed = Array(sealed)
    var changes: [Recalled] = []
    for element in remembered.elements {
      guard let bytes = element.bytes else { throw .damaged }
      changes.append(try Recalled(bytes))
    }
    self.remembered = changes
    var stored: [(UInt64, StoredEvent)] = []
    stored.reserveCapacity(events.count)
    for element in events.elements {
      // An entry is its id and its fields, of which there is one.
      guard let id = element[0]?.bytes, let event = element[1]?[1]?.bytes else { throw .damaged }
      stored.append((try Self.number(id), try StoredEvent(event)))
    }
    self.events = stored
  }

  /// The event's id of an entry's, `7-0`.
  private static func number(_ id: UnsafeRawBufferPointer) throws(RecordError) -> UInt64 {
    guard let number = UInt64(String(decoding: id.prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self)) else {
      throw .damaged
    }
    return number
  }
}
