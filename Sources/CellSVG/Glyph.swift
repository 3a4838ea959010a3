/// The characters that a picture can show, as strokes of its own, so that they look the same whatever fonts there are.
///
/// A glyph's outline is centred at the origin: from -7 to 7 in height, at most from -5.5 to 5.5 in width.
enum Glyph {
  static let height = 14.0
  static let width = 11.0
  /// Width of the strokes, whose ends and corners are round.
  static let stroke = 1.6

  /// Number of bytes that every outline is filled up to with spaces, so that no size tells which characters are shown.
  static let dataSize = 80

  /// Path data for `0`–`9` and `A`–`Z` in ASCII; nothing for others.
  static func data(of character: UInt8) -> StaticString {
    switch character {
    case 0x30...0x39: digits[Int(character - 0x30)]
    case 0x41...0x5A: letters[Int(character - 0x41)]
    default: ""
    }
  }

  private static let digits: [StaticString] = [
    "M0-7A4 7 0 0 1 0 7A4 7 0 0 1 0-7Z",
    "M-3-4L0-7V7M-3 7H3",
    "M-4.5-2.5A4.5 4.5 0 1 1 3.6 .2L-4.5 7H4.5",
    "M-3-4A3 3 0 1 1 0-1A4 4 0 1 1-4 3",
    "M2.5 7V-7L-4.5 3H4.5",
    "M4-7H-4V-1H0A4 4 0 0 1 0 7H-4",
    "M3-7C-1-7-4.5-2-4.5 2.5A4.5 4.5 0 1 0 4.5 2.5A4.5 4.5 0 0 0-4.5 2.5",
    "M-4-7H4L-1.5 7",
    "M0 0A3.5 3.5 0 1 1 0-7A3.5 3.5 0 1 1 0 0A4.5 3.5 0 1 1 0 7A4.5 3.5 0 1 1 0 0",
    "M-3 7C1 7 4.5 2 4.5-2.5A4.5 4.5 0 1 0-4.5-2.5A4.5 4.5 0 0 0 4.5-2.5",
  ]

  private static let letters: [StaticString] = [
    "M-5 7L0-7L5 7M-3.2 2H3.2",
    "M-4-7V7H.25A3.75 3.75 0 0 0 .25-.5H-4M-4-7H0A3.25 3.25 0 0 1 0-.5",
    "M4.5-7H2A6.5 7 0 0 0 2 7H4.5",
    "M-4.5-7V7H-2A6.5 7 0 0 0-2-7Z",
    "M4-7H-4V7H4M-4 0H3",
    "M4-7H-4V7M-4 0H3",
    "M4.5-7H2A6.5 7 0 0 0 2 7H4.5V.5H1",
    "M-4.5-7V7M4.5-7V7M-4.5 0H4.5",
    "M-3-7H3M0-7V7M-3 7H3",
    "M4-7V3A4 4 0 0 1-4 3",
    "M-4-7V7M4-7L-4 1M-1-2L4 7",
    "M-4-7V7H4",
    "M-5 7V-7L0 2L5-7V7",
    "M-4.5 7V-7L4.5 7V-7",
    "M0-7A5.5 7 0 0 1 0 7A5.5 7 0 0 1 0-7Z",
    "M-4 7V-7H.25A3.75 3.75 0 0 1 .25 .5H-4",
    "M0-7A5.5 7 0 0 1 0 7A5.5 7 0 0 1 0-7ZM2 3L5.5 7",
    "M-4 7V-7H.25A3.75 3.75 0 0 1 .25 .5H-4M0 .5L4 7",
    "M4-7H0A3.5 3.5 0 0 0 0 0A3.5 3.5 0 0 1 0 7H-4",
    "M-4.5-7H4.5M0-7V7",
    "M-4.5-7V2.5A4.5 4.5 0 0 0 4.5 2.5V-7",
    "M-5-7L0 7L5-7",
    "M-5.5-7L-2.75 7L0-3L2.75 7L5.5-7",
    "M-4.5-7L4.5 7M4.5-7L-4.5 7",
    "M-4.5-7L0 0V7M4.5-7L0 0",
    "M-4.5-7H4.5L-4.5 7H4.5",
  ]
}
