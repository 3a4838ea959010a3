import CellSVG
import WipingBuffer

@testable import PINService

/// What comes after a `?`: for a picture without a session, for events, for several sessions.
enum Queries {
  private static let styles = StyleFiles.embedded()

  static func run(_ input: UnsafeRawBufferPointer) {
    var events = Query(input)
    let wait = events.seconds("wait", upTo: PINService.longestWait)
    precondition((0...50_000).contains(wait ?? 0))
    _ = events.bytes("after")
    _ = events.bytes("lastEventId")
    let ids = SeveralSessions.ids(in: &events).compactMap { $0 }
    do throws(Problem) {
      try events.check()
      precondition(ids.count <= 64 && Set(ids).count == ids.count)
    } catch {
      _ = error.response()
    }
    draw(input)
  }

  /// No label can change what is drawn beside it.
  private static func draw(_ input: UnsafeRawBufferPointer) {
    var query = Query(input)
    do throws(Problem) {
      var drawing = try Drawing(&query, styles)
      let marks = marks(in: drawing)
      drawing.label = "PIN"
      precondition(marks == self.marks(in: drawing), "the label is more than text")
    } catch {
      _ = error.response()
    }
  }

  /// How many characters there are that XML is made of.
  private static func marks(in drawing: Drawing) -> Int {
    var out = Bytes()
    drawing.draw(into: &out)
    return out.withBytes { $0.count { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "\"") } }
  }
}
