internal import PINEntry

/// How options are written in records.
extension PackedWriter {
  mutating func append(_ options: EntryOptions) {
    append(options.length)
    append(options.alphabet.rawValue)
    append(options.overflow.rawValue)
    append(UInt8(options.reveal ? 1 : 0) | UInt8(options.endsOnComplete ? 2 : 0) | UInt8(options.seals ? 4 : 0))
    append(options.maxAttempts)
    append(options.timeouts.total)
    append(options.timeouts.firstInput)
    append(options.timeouts.interDigit)
  }

  mutating func append(_ presentation: Presentation) {
    append(presentation.label)
    append(presentation.style.name)
    append(presentation.style.options) { writer, option in
      writer.append(option.name)
      writer.append(option.value)
    }
    append(presentation.metadata) { writer, pair in
      writer.append(pair.key)
      writer.append(pair.value)
    }
    append(presentation.sealTo?.bytes ?? []) { $0.append($1) }
  }

  private mutating func append(_ value: StyleValue) {
    switch value {
    case .number(let number):
      append(UInt8(0))
      append(number.bitPattern)
    case .color(let text):
      append(UInt8(1))
      append(text)
    case .flag(let flag): append(UInt8(flag ? 3 : 2))
    case .groups(let groups):
      append(UInt8(4))
      append(groups) { $0.append(UInt8(clamping: $1)) }
    }
  }

  mutating func append(_ configuration: SessionConfiguration) {
    append(configuration.options)
    append(configuration.presentation)
  }
}

extension PackedReader {
  mutating func options() throws(RecordError) -> EntryOptions {
    var options = EntryOptions()
    options.length = try number()
    options.alphabet = try choice()
    options.overflow = try choice()
    let flags: UInt8 = try number()
    options.reveal = flags & 1 != 0
    options.endsOnComplete = flags & 2 != 0
    options.seals = flags & 4 != 0
    options.maxAttempts = try number()
    options.timeouts = Timeouts(total: try number(), firstInput: try number(), interDigit: try number())
    guard EntryOptions.lengths.contains(Int(options.length)) else { throw .damaged }
    return options
  }

  mutating func presentation() throws(RecordError) -> Presentation {
    let label = try text()
    let name = try text()
    let options = try list { reader throws(RecordError) in
      StyleOption(name: try reader.text(), value: try reader.styleValue())
    }
    let metadata = try list { reader throws(RecordError) in
      Metadatum(key: try reader.text(), value: try reader.text())
    }
    let key = try list { reader throws(RecordError) in try reader.number(UInt8.self) }
    let sealTo = PublicKey(bytes: key)
    guard key.isEmpty || sealTo != nil else { throw .damaged }
    return Presentation(
      label: label, style: StyleChoice(name: name, options: options), metadata: metadata, sealTo: sealTo)
  }

  private mutating func styleValue() throws(RecordError) -> StyleValue {
    switch try number(UInt8.self) {
    case 0: return .number(Double(bitPattern: try number()))
    case 1: return .color(try text())
    case 2: return .flag(false)
    case 3: return .flag(true)
    case 4: return .groups(try list { reader throws(RecordError) in Int(try reader.number(UInt8.self)) })
    default: throw .damaged
    }
  }

  mutating func configuration() throws(RecordError) -> SessionConfiguration {
    SessionConfiguration(options: try options(), presentation: try presentation())
  }
}
