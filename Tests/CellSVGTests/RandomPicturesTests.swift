import CellSVG
import PINEntry
import TestSupport
import Testing
import WipingBuffer

@Suite struct RandomPicturesTests {
  @Test func `whatever the options, a picture is well-formed and its numbers are plain`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SplitMix(state: seed)
    for _ in 0..<2000 {
      let svg = randomPicture(&random)
      let mistake = XMLCheck.mistake(in: svg, attribute: Self.mistake)
      try #require(mistake == nil, "seed \(seed): \(mistake ?? "") in \(svg)")
    }
  }

  /// What is wrong with an attribute that holds a number.
  private static func mistake(_ name: String, _ value: String) -> String? {
    switch name {
    case "x", "y", "x1", "y1", "x2", "y2", "cx", "cy": isPlain(value.drop { $0 == "-" }) ? nil : "is no plain number"
    case "r", "rx", "width", "height", "stroke-width": isPlain(value[...]) ? nil : "is no plain size"
    default: nil
    }
  }

  /// Digits, and up to three after a point.
  private static func isPlain(_ number: Substring) -> Bool {
    let parts = number.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return (1...2).contains(parts.count)
      && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
      && (parts.count == 1 || parts[1].count <= 3)
  }

  @Test(arguments: [
    "<a>", "<a></b>", "<a/><a/>", "<a b=\"1\" b=\"2\"/>", "<a>&</a>", "<a>&x;</a>", "<a>]]></a>", "<a b=1/>", "a",
    "<a b=\"<\"/>", "<a>\u{1}</a>",
  ]) func `the check finds what is not well-formed`(document: String) {
    #expect(XMLCheck.mistake(in: document) != nil)
  }

  private func randomPicture(_ random: inout SplitMix) -> String {
    let definition = styles.names.randomElement(using: &random).flatMap { styles[$0] }
    guard let definition else { return "" }
    let length = Int.random(in: 1...32, using: &random)
    let given = definition.options.filter { _ in Bool.random(using: &random) }.map {
      GivenOption($0.name, randomValue(like: $0.value, length, &random))
    }
    let (choice, mistakes) = definition.choice(given, length: length)
    #expect(mistakes.isEmpty)
    let state = SessionState(
      length: UInt8(length), count: UInt8.random(in: 0...UInt8(length), using: &random),
      status: Status.allCases.randomElement(using: &random) ?? .open, active: .random(using: &random), held: false,
      rejected: .random(using: &random), attempts: .random(in: 0...100, using: &random), completion: 0, revision: 0,
      expiresAt: 0)
    let picture = Picture(
      choice, of: definition, label: randomText(&random), state: state, message: randomText(&random),
      reveal: .random(using: &random), width: [1, 2, 360, 4096].randomElement(using: &random) ?? 1,
      height: [1, 3, 38, 60, 4096].randomElement(using: &random) ?? 1)
    var out = Bytes()
    picture.draw(into: &out) { show in
      for _ in 0..<UInt8.random(in: 0...40, using: &random) { show(UInt8.random(in: 0x30...0x5A, using: &random)) }
    }
    return out.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  private func randomValue(like value: StyleValue, _ length: Int, _ random: inout SplitMix) -> GivenValue {
    switch value {
    case .number:
      let numbers = [
        0, .leastNonzeroMagnitude, 1e-7, 0.5, 1, 9, 4095.9999, 4096, .random(in: 0...4096, using: &random),
      ]
      return .number(numbers.randomElement(using: &random) ?? 0)
    case .color: return .text(["#fff", "#123456", "red", "transparent"].randomElement(using: &random) ?? "red")
    case .flag: return .flag(.random(using: &random))
    case .groups:
      let first = Int.random(in: 1...length, using: &random)
      return .numbers(first == length ? [Double(length)] : [Double(first), Double(length - first)])
    }
  }

  private func randomText(_ random: inout SplitMix) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...20, using: &random) {
      let value =
        Bool.random(using: &random)
        ? UInt32.random(in: 0...0x7F, using: &random) : .random(in: 0...0x10FFFF, using: &random)
      if let scalar = Unicode.Scalar(value) { text.append(scalar) }
    }
    return String(text)
  }
}
