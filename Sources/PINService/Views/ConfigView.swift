import PINEntry
import WipingBuffer

extension Bytes {
  /// Writes the resolved options as the `config` document; no metadata, which is the owner's only.
  mutating func appendConfig(_ options: EntryOptions, _ presentation: Presentation) {
    append("{\"length\":")
    append(decimal: options.length)
    append(",\"alphabet\":\"")
    append(options.alphabet.name)
    append("\",\"style\":")
    appendStyle(presentation.style)
    append(",\"reveal\":")
    append(options.reveal)
    append(",\"endsOnComplete\":")
    append(options.endsOnComplete)
    append(",\"overflow\":\"")
    append(options.overflow.name)
    append("\",\"maxAttempts\":")
    append(decimal: options.maxAttempts)
    append(",\"timeouts\":{\"total\":")
    append(decimal: options.timeouts.total)
    if options.timeouts.firstInput > 0 {
      append(",\"firstInput\":")
      append(decimal: options.timeouts.firstInput)
    }
    if options.timeouts.interDigit > 0 {
      append(",\"interDigit\":")
      append(decimal: options.timeouts.interDigit)
    }
    append("},\"label\":")
    appendJSON(presentation.label)
    if let key = presentation.sealTo {
      append(",\"sealTo\":")
      appendJSON(key.text)
    }
    append("}")
  }

  private mutating func appendStyle(_ style: StyleChoice) {
    append("{\"name\":")
    appendJSON(style.name)
    for option in style.options {
      append(",")
      appendJSON(option.name)
      append(":")
      switch option.value {
      case .number(let number): appendJSON(number)
      case .color(let color): appendJSON(color)
      case .flag(let flag): append(flag)
      case .groups(let groups): appendNumbers(groups)
      }
    }
    append("}")
  }

  private mutating func appendNumbers(_ numbers: [Int]) {
    append("[")
    for (index, number) in numbers.enumerated() {
      if index > 0 { append(",") }
      append(decimal: number)
    }
    append("]")
  }

  /// Writes the owner's own strings as an object.
  mutating func appendMetadata(_ metadata: [Metadatum]) {
    append("{")
    for (index, pair) in metadata.enumerated() {
      if index > 0 { append(",") }
      appendJSON(pair.key)
      append(":")
      appendJSON(pair.value)
    }
    append("}")
  }
}

extension Alphabet {
  /// As the contract spells it.
  var name: StaticString {
    switch self {
    case .digits: "digits"
    case .alphanumeric: "alphanumeric"
    }
  }
}

extension Overflow {
  /// As the contract spells it.
  var name: StaticString {
    switch self {
    case .truncate: "truncate"
    case .reject: "reject"
    }
  }
}
