import CellSVG
import MicroHTTP
import PINEntry
import SessionStore
import WipingBuffer

/// The requests for pictures.
enum Picturing {
  /// What a picture may do: use its own style, and nothing else.
  private static let policy =
    "default-src 'none'; style-src 'sha256-"
    + Digest.base64(
      Digest.sha256(
        UnsafeBufferPointer(start: Picture.styleSheet.utf8Start, count: Picture.styleSheet.utf8CodeUnitCount)))
    + "'"

  /// `GET /v1/sessions/{id}/cells.svg`.
  static func session(
    _ service: PINService, _ request: borrowing Request, _ call: SessionCall
  ) throws(Problem) -> Reply {
    var query = Query(request.query)
    let width = query.integer("width", in: Drawing.sizes)
    let height = query.integer("height", in: Drawing.sizes)
    try query.check()
    let styles = service.rules.styles
    let drawn = try call.session.access { access in
      let sight = service.sight(access, isTrusted: call.role != nil || showsCharacters(access))
      return draw(access, sight, styles, width: width, height: height) { EntityTags.noneMatch(request, $0) }
    }.get()
    return reply(drawn)
  }

  /// Whether a session shows its characters. Such a picture has no rhythm to hide; and characters of the past are not
  /// kept.
  static func showsCharacters(_ access: SessionAccess) -> Bool {
    access.session.options.reveal || access.past?.options.reveal ?? false
  }

  /// Draws as much of a session as is seen.
  ///
  /// - Parameters:
  ///   - width: in px; nil: that of the style.
  ///   - isKnown: whether the reader has the picture of a tag, so that it need not be drawn.
  static func draw(
    _ access: SessionAccess, _ sight: Sight, _ styles: StyleCatalog, width: Int?, height: Int?,
    isKnown: (String) -> Bool
  ) -> Drawn {
    var out = Bytes(capacity: 2048)
    let seen = sight.snapshot(access)
    let state = seen.state
    let reveal = sight.options(access).reveal
    let presentation = sight.presentation(access)
    // A style that a reload has taken away is still there for its sessions; that of another machine may not be.
    let own = styles.definition(of: presentation.style)
    let definition = own ?? styles.standard.definition
    let choice = own == nil ? definition.defaultChoice : presentation.style
    let size = definition.defaultSize(of: choice, length: Int(state.length))
    let picture = Picture(
      choice, of: definition, label: presentation.label, state: state, message: seen.message ?? "",
      reveal: reveal, width: width ?? size.width, height: height ?? size.height)
    let tag = "\"\(state.revision)-\(width ?? size.width)x\(height ?? size.height)\""
    let isKnown = isKnown(tag)
    if !isKnown { picture.draw(into: &out) { body in access.session.forEachCharacter(body) } }
    return Drawn(picture: out, tag: tag, isKnown: isKnown, isSecret: reveal)
  }

  /// `GET /v1/cells.svg`: a picture without a session.
  static func drawing(_ service: PINService, _ request: borrowing Request) throws(Problem) -> Reply {
    var query = Query(request.query)
    let drawing = try Drawing(&query, service.rules.styles)
    var out = Bytes(capacity: 2048)
    drawing.draw(into: &out)
    let tag = "\"" + out.withBytes { Digest.sha256($0) }.prefix(16).map(Digest.hexadecimal).joined() + "\""
    return reply(Drawn(picture: out, tag: tag, isKnown: EntityTags.noneMatch(request, tag), isSecret: false))
  }

  /// A picture, and what its answer says besides.
  struct Drawn: ~Copyable {
    let picture: Bytes
    let tag: String
    /// Whether the reader has it.
    let isKnown: Bool
    /// Whether its characters show.
    let isSecret: Bool
  }

  private static func reply(_ drawn: consuming Drawn) -> Reply {
    let (tag, isKnown, isSecret) = (drawn.tag, drawn.isKnown, drawn.isSecret)
    var response =
      isKnown
      ? Response(status: 304, contentType: nil, body: Bytes())
      : Response(status: 200, contentType: "image/svg+xml", body: drawn.picture)
    response.setHeader("ETag", text: tag)
    response.setHeader("Cache-Control", isSecret ? "no-store" : "private, no-cache")
    response.setHeader("Content-Security-Policy", text: policy)
    response.setHeader("Referrer-Policy", "no-referrer")
    response.allowEmbedding()
    return .response(response)
  }
}
