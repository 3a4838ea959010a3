import CellSVG
import PINEntry
import WipingBuffer

@testable import PINService

/// A style's file: what is accepted can be drawn.
enum Styles {
  private static let embedded = StyleFiles.embedded()

  static func run(_ input: UnsafeRawBufferPointer) {
    guard case .success(let file) = StyleFiles.read(input, named: "fuzzed") else { return }
    var styles = embedded
    guard styles.add([file]).isEmpty else { return precondition(styles["fuzzed"] == nil) }
    guard let style = styles["fuzzed"] else { fatalError("the style is not there") }
    for length in [1, 6, 32] {
      let (choice, mistakes) = style.choice([], length: length)
      // Only groups know of the length.
      precondition(mistakes.allSatisfy { $0.option == "groups" })
      let size = style.defaultSize(of: choice, length: length)
      let state = SessionState(
        length: UInt8(length), count: UInt8(length / 2), status: .open, active: true, held: false, rejected: false,
        attempts: 0, completion: 0, revision: 0, expiresAt: 0)
      var out = Bytes()
      Picture(choice, of: style, label: "PIN", state: state, reveal: false, width: size.width, height: size.height)
        .draw(into: &out)
      precondition(!out.isEmpty)
    }
  }
}
