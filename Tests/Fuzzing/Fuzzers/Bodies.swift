import CellSVG
import PINEntry
import SessionStore
import WipingBuffer

@testable import PINService

/// A request's body, as the options of a session and as the text of an edit.
enum Bodies {
  private static let styles = StyleFiles.embedded()

  static func run(_ input: UnsafeRawBufferPointer) {
    create(input)
    change(input)
    for (length, alphabet) in [(6, Alphabet.digits), (32, .alphanumeric)] {
      type(input, length: UInt8(length), alphabet)
    }
  }

  /// What is resolved, written and read again is the same.
  private static func create(_ input: UnsafeRawBufferPointer) {
    guard let created = read(input, over: nil) else { return }
    // A key to seal to can't be changed to.
    let key = created.presentation.sealTo.map { "{\"sealTo\":\"\($0.text)\"}" } ?? ""
    guard let standard = read(key.utf8, over: nil) else { fatalError("its own key is refused") }
    let text = text(of: created)
    guard let again = read(text, over: standard) else { fatalError("its own words are refused") }
    precondition(text.elementsEqual(self.text(of: again)), "its own words mean something else")
  }

  /// A change that is made twice is made once (RFC 7396).
  private static func change(_ input: UnsafeRawBufferPointer) {
    guard let base = read([], over: nil), let once = read(input, over: base) else { return }
    guard let twice = read(input, over: once) else { fatalError("a change is refused the second time") }
    precondition(text(of: once).elementsEqual(text(of: twice)), "a change does something the second time")
  }

  private static func read(_ input: some Sequence<UInt8>, over base: SessionConfiguration?) -> SessionConfiguration? {
    Array(input).withUnsafeBytes { bytes in
      do throws(Problem) {
        let body = try BodyReader(bytes)
        var reader = OptionsReader(styles, changing: base)
        return try reader.read(body)
      } catch {
        _ = error.response()
        return nil
      }
    }
  }

  private static func text(of configuration: SessionConfiguration) -> [UInt8] {
    var out = Bytes()
    out.appendConfig(configuration.options, configuration.presentation)
    return out.withBytes { Array($0) }
  }

  private static func type(_ input: UnsafeRawBufferPointer, length: UInt8, _ alphabet: Alphabet) {
    do throws(Problem) {
      var body = try BodyReader(input)
      body.allow("text", "at")
      let at = body.integer("at", in: 0...32)
      guard let text = body.utf8("text", most: 256, isRequired: true) else { return }
      try body.check()
      // The body is there until the end.
      let utf8 = unsafe Span(_unsafeElements: text)
      var options = EntryOptions()
      (options.length, options.alphabet) = (length, alphabet)
      var session = Session(
        id: SessionID(high: 1, low: 2), nonce: SessionID(high: 3, low: 4), options: options,
        at: Instant(milliseconds: 0), on: 0)
      var typed = 0
      if let inserted = try? session.insert(utf8, if: Precondition(count: at), at: Instant(milliseconds: 1)) {
        typed = inserted.accepted
        precondition(typed <= Int(length) && (inserted.truncated == 0 || typed == Int(length)))
      }
      precondition(session.state.count == UInt8(typed))
      if let set = try? session.set(utf8, at: Instant(milliseconds: 2)) {
        precondition(session.state.count == UInt8(set.accepted))
      }
      var count = 0
      session.forEachCharacter { character in
        count += 1
        let isDigit = (0x30...0x39).contains(character)
        precondition(isDigit || alphabet == .alphanumeric && (0x41...0x5A).contains(character))
      }
      precondition(count == Int(session.state.count))
    } catch {
      _ = error.response()
    }
  }
}
