import CellSVG
import PINEntry
import WipingBuffer

/// A picture without a session, as a query asks for it.
struct Drawing {
  var label: String
  private let style: StyleDefinition
  private let choice: StyleChoice
  private let state: SessionState
  private let width: Int
  private let height: Int

  /// What a picture's width and height may be, in px.
  static let sizes = 1...4096

  /// Throws with all that is wrong with the query.
  init(_ query: inout Query, _ styles: StyleCatalog) throws(Problem) {
    let name = query.text("style") ?? styles.standard.definition.name
    let definition = styles[name]
    if definition == nil { query.fail("style", "is not the name of a style") }
    let length = query.integer("length", in: EntryOptions.lengths) ?? 6
    let count = query.integer("count", in: 0...length) ?? 0
    label = query.text("label") ?? "PIN"
    if !(1...200).contains(label.unicodeScalars.count) { query.fail("label", "is not 1 to 200 characters") }
    let active = query.flag("active") ?? false
    let rejected = query.flag("error") ?? false
    let accepted = query.flag("accepted") ?? false
    style = definition ?? styles.standard.definition
    let given = style.options.compactMap { option in
      query.text(option.name).map { GivenOption(option.name, .query($0)) }
    }
    let (choice, mistakes) = style.choice(given, length: length)
    for mistake in mistakes { query.fail(mistake.option, mistake.detail) }
    self.choice = choice
    let size = style.defaultSize(of: choice, length: length)
    width = query.integer("width", in: Self.sizes) ?? size.width
    height = query.integer("height", in: Self.sizes) ?? size.height
    state = SessionState(
      length: UInt8(length), count: UInt8(count), status: accepted ? .accepted : .open, active: active, held: false,
      rejected: rejected, attempts: 0, completion: 0, revision: 0, expiresAt: 0)
    try query.check()
  }

  func draw(into out: inout Bytes) {
    Picture(choice, of: style, label: label, state: state, reveal: false, width: width, height: height).draw(into: &out)
  }
}
