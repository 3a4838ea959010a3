import Glibc

/// What there is to fuzz. PINPAD_FUZZER in the environment names one; whatever traps in it is a finding.
enum Fuzzer: String, CaseIterable {
  case bodies, configuration, cursors
  case guarding = "guard"
  case queries, records, styles

  /// The one that runs.
  static let chosen: Fuzzer = {
    let name = getenv("PINPAD_FUZZER").map { String(cString: $0) } ?? ""
    guard let fuzzer = Fuzzer(rawValue: name) else {
      fatalError("PINPAD_FUZZER has to be one of \(allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return fuzzer
  }()

  func run(_ input: UnsafeRawBufferPointer) {
    switch self {
    case .bodies: Bodies.run(input)
    case .configuration: Configurations.run(input)
    case .cursors: Cursors.run(input)
    case .guarding: Guarding.run(input)
    case .queries: Queries.run(input)
    case .records: Records.run(input)
    case .styles: Styles.run(input)
    }
  }
}

/// Called by libFuzzer with each input that it makes up.
@_cdecl("LLVMFuzzerTestOneInput")
func tryInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  Fuzzer.chosen.run(UnsafeRawBufferPointer(start: start, count: count))
  return 0
}
