internal import PINEntry

/// A remembered change as Redis keeps it: keyed hashes and counts, never characters.
extension Recalled {
  private static let version: UInt8 = 1

  func write(to out: inout PackedWriter) {
    out.append(Self.version)
    out.append(key)
    out.append(request)
    out.append(outcome.state)
    out.append(outcome.eventID)
    let message = outcome.details?.message
    let configuration = outcome.details?.configuration
    out.append(
      UInt8(outcome.insertion == nil ? 0 : 1) | UInt8(outcome.details == nil ? 0 : 2) | UInt8(message == nil ? 0 : 4)
        | UInt8(configuration == nil ? 0 : 8))
    if let insertion = outcome.insertion {
      out.append(UInt16(clamping: insertion.accepted))
      out.append(UInt16(clamping: insertion.truncated))
    }
    if let message { out.append(message) }
    if let configuration { out.append(configuration) }
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(RecordError) {
    var reader = PackedReader(bytes)
    guard try reader.number(UInt8.self) == Self.version else { throw .newer }
    key = try reader.hash()
    request = try reader.hash()
    let state = try reader.state()
    let eventID: UInt64 = try reader.number()
    let parts: UInt8 = try reader.number()
    var insertion: Insertion?
    if parts & 1 != 0 {
      insertion = Insertion(
        accepted: Int(try reader.number(UInt16.self)), truncated: Int(try reader.number(UInt16.self)))
    }
    let message = parts & 4 != 0 ? try reader.text() : nil
    let configuration = parts & 8 != 0 ? try reader.configuration() : nil
    let details = parts & 2 != 0 ? Outcome.Details(message: message, configuration: configuration) : nil
    outcome = Outcome(state: state, eventID: eventID, insertion: insertion, details: details)
  }
}
