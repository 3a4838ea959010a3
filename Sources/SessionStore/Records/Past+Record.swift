internal import PINEntry

extension PackedWriter {
  /// - Parameters:
  ///   - options: what they are now; written again only if they, or the presentation, were others then.
  mutating func append(_ past: Past, of options: EntryOptions, _ presentation: Presentation) {
    append(past.point.milliseconds)
    append(past.eventID)
    append(past.state)
    append(UInt8(past.message == nil ? 0 : 1))
    if let message = past.message { append(message) }
    let isOther = past.options != options || past.presentation != presentation
    append(UInt8(isOther ? 1 : 0))
    if isOther { append(SessionConfiguration(options: past.options, presentation: past.presentation)) }
  }
}

extension PackedReader {
  /// - Parameters:
  ///   - options: what they are now.
  mutating func past(of options: EntryOptions, _ presentation: Presentation) throws(RecordError) -> Past {
    let point = Instant(milliseconds: try number())
    let eventID: UInt64 = try number()
    let state = try state()
    let message = try flag() ? try text() : nil
    let configuration = try flag() ? try configuration() : nil
    return Past(
      point: point, state: state, eventID: eventID, message: message, options: configuration?.options ?? options,
      presentation: configuration?.presentation ?? presentation)
  }

  private mutating func flag() throws(RecordError) -> Bool {
    switch try number(UInt8.self) {
    case 0: false
    case 1: true
    default: throw .damaged
    }
  }
}
