/// The parameters of a query, decoded as forms are (`%xx`, and `+` for a space).
struct Query {
  private var parameters: [(name: String, value: [UInt8])] = []
  /// What is wrong with it so far.
  private(set) var errors: [FieldError] = []

  /// - Parameter query: what stands after the `?`; nil without one.
  init(_ query: UnsafeRawBufferPointer?) {
    guard let query else { return }
    for pair in query.split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      let name = String(decoding: Self.decoded(pair[..<equals]), as: UTF8.self)
      let value = equals < pair.endIndex ? Self.decoded(pair[(equals + 1)...]) : []
      parameters.append((name, value))
    }
  }

  /// A parameter's bytes; nil without it. Given twice it is wrong, as no one could know which is meant.
  mutating func bytes(_ name: String) -> [UInt8]? {
    let values = parameters.filter { $0.name == name }
    if values.count > 1 { fail(name, "is there \(values.count) times") }
    return values.first?.value
  }

  /// A parameter as text; what is not UTF-8 is wrong.
  mutating func text(_ name: String) -> String? {
    guard let bytes = bytes(name) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      fail(name, "is not UTF-8")
      return nil
    }
    return text
  }

  /// A parameter as a whole number in a range; anything else is wrong.
  mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
    guard let bytes = bytes(name) else { return nil }
    let number = bytes.withUnsafeBytes { $0.decimal }.flatMap { Int(exactly: $0) }
    guard let number, range.contains(number) else {
      fail(name, "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }

  /// A parameter as seconds from 0 to `most`, a fraction allowed, in milliseconds.
  mutating func seconds(_ name: String, upTo most: Int) -> Int64? {
    guard let text = text(name) else { return nil }
    let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == UInt8(ascii: ".") }
    guard isPlain, let seconds = Double(text), seconds <= Double(most) else {
      fail(name, "is not a number of seconds from 0 to \(most)")
      return nil
    }
    return Int64(seconds * 1000)
  }

  /// `true`, `false` or nothing; anything else is wrong.
  mutating func flag(_ name: String) -> Bool? {
    guard let text = text(name) else { return nil }
    switch text {
    case "true": return true
    case "false": return false
    default:
      fail(name, "is not true or false")
      return nil
    }
  }

  mutating func fail(_ name: String, _ detail: String) { errors.append(FieldError(.parameter(name), detail)) }

  /// Throws if anything was wrong.
  func check() throws(Problem) {
    guard errors.isEmpty else { throw .invalid(errors) }
  }

  private static func decoded(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        decoded.append(0x20)
      } else if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(hexadecimal),
        let low = rest.dropFirst().first.flatMap(hexadecimal)
      {
        decoded.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        decoded.append(byte)
      }
    }
    return decoded
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte &- 0x30
    case 0x41...0x46: byte &- 0x37
    case 0x61...0x66: byte &- 0x57
    default: nil
    }
  }
}
