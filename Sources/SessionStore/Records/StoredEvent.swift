internal import PINEntry

/// An event as Redis keeps it, and the stamp of the writing that made it.
struct StoredEvent: Equatable {
  let stamp: UInt64
  let event: EventRecord

  private static let version: UInt8 = 1

  init(stamp: UInt64, event: EventRecord) {
    self.stamp = stamp
    self.event = event
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(RecordError) {
    var reader = PackedReader(bytes)
    guard try reader.number(UInt8.self) == Self.version else { throw .newer }
    stamp = try reader.number()
    let state = try reader.state()
    event = EventRecord(state: state, kind: try reader.choice(), reason: try reader.choice())
  }

  func write(to out: inout PackedWriter) {
    out.append(Self.version)
    out.append(stamp)
    out.append(event.state)
    out.append(event.kind.rawValue)
    out.append(event.reason.rawValue)
  }
}

extension PackedWriter {
  mutating func append(_ state: SessionState) {
    append(state.length)
    append(state.count)
    append(state.status.rawValue)
    append(UInt8(state.active ? 1 : 0) | UInt8(state.held ? 2 : 0) | UInt8(state.rejected ? 4 : 0))
    append(state.attempts)
    append(state.completion)
    append(state.revision)
    append(state.expiresAt)
  }
}

extension PackedReader {
  mutating func state() throws(RecordError) -> SessionState {
    let (length, count): (UInt8, UInt8) = (try number(), try number())
    let status: Status = try choice()
    let flags: UInt8 = try number()
    return SessionState(
      length: length, count: count, status: status, active: flags & 1 != 0, held: flags & 2 != 0,
      rejected: flags & 4 != 0, attempts: try number(), completion: try number(), revision: try number(),
      expiresAt: try number())
  }
}
