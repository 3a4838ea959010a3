import WipingBuffer

extension Bytes {
  /// A JSON string (RFC 8259 §7), quotes included.
  mutating func appendJSON(_ text: String) {
    var text = text
    append(byte: UInt8(ascii: "\""))
    text.withUTF8 { bytes in
      for byte in bytes { appendEscaped(byte) }
    }
    append(byte: UInt8(ascii: "\""))
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case 0x0A: append("\\n")
    case 0x00..<0x20, 0x7F:
      append("\\u00")
      append(byte: Self.hexadecimal(byte >> 4))
      append(byte: Self.hexadecimal(byte & 15))
    default: append(byte: byte)
    }
  }

  private static func hexadecimal(_ four: UInt8) -> UInt8 { four < 10 ? 0x30 &+ four : 0x57 &+ four }

  /// A number of a style's option: as an integer where it is one, else to thousandths.
  ///
  /// - Parameter number: finite and below 2^52; options are 0…4096.
  mutating func appendJSON(_ number: Double) {
    let thousandths = Int64((number * 1000).rounded())
    append(decimal: thousandths / 1000)
    var rest = abs(thousandths % 1000)
    guard rest > 0 else { return }
    append(byte: UInt8(ascii: "."))
    var place: Int64 = 100
    while rest > 0 {
      append(byte: 0x30 &+ UInt8(rest / place))
      rest %= place
      place /= 10
    }
  }

  /// A moment in UTC by RFC 3339, to the second.
  mutating func appendTimestamp(_ secondsSince1970: UInt32) {
    let time = secondsSince1970 % 86_400
    let date = CivilDate(daysSince1970: secondsSince1970 / 86_400)
    append(twoDigits: date.year / 100)
    append(twoDigits: date.year % 100)
    append(byte: UInt8(ascii: "-"))
    append(twoDigits: date.month)
    append(byte: UInt8(ascii: "-"))
    append(twoDigits: date.day)
    append(byte: UInt8(ascii: "T"))
    append(twoDigits: time / 3600)
    append(byte: UInt8(ascii: ":"))
    append(twoDigits: time / 60 % 60)
    append(byte: UInt8(ascii: ":"))
    append(twoDigits: time % 60)
    append(byte: UInt8(ascii: "Z"))
  }
}

/// A day of the Gregorian calendar.
struct CivilDate: Equatable {
  let year: UInt32
  let month: UInt32
  let day: UInt32

  init(daysSince1970: UInt32) {
    // Counted from 1 March of the year 0, leap days fall on the ends of years, and 400 years are 146,097 days.
    let days = daysSince1970 + 719_468
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // The months from March on have 31 30 31 30 31 days, twice and a half: 153 in five.
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }
}
