import WipingBuffer

@testable import PINService

/// A configuration's file; the same text as a file of keys, and as a variable's list.
enum Configurations {
  static func run(_ input: UnsafeRawBufferPointer) {
    let text = Array(input)
    var keys = ConfigurationReader()
    keys.readKeys(String(decoding: text, as: UTF8.self))
    _ = ConfigurationReader.list(String(decoding: text, as: UTF8.self))

    var reader = ConfigurationReader()
    reader.readFile(text, named: "file")
    reader.finish()
    // Keys are masked, and so is a password in the store's address.
    guard reader.mistakes.isEmpty, reader.configuration.apiKeys.isEmpty, !reader.configuration.usesRedis else { return }
    var out = Bytes()
    reader.configuration.write(to: &out)
    var again = ConfigurationReader()
    again.readFile(out.withBytes { Array($0) }, named: "printed")
    again.finish()
    precondition(again.mistakes.isEmpty, "its own words are refused: \(again.mistakes)")
    precondition(again.configuration == reader.configuration, "its own words mean something else")
  }
}
