import MicroHTTP
import SessionStore
import StaticFiles
import WipingBuffer

/// What the service has to show besides sessions.
struct Pages: Sendable {
  let page: StaticPage
  let pinEntry: StaticPage
  let openAPI: StaticPage

  init() {
    page = StaticPage(Self.html, type: "text/html; charset=utf-8")
    pinEntry = StaticPage(Self.file(static_pin_entry), type: "text/javascript; charset=utf-8")
    openAPI = StaticPage(Self.file(static_openapi), type: "application/json")
  }

  static var html: UnsafeRawBufferPointer { file(static_page) }

  static func alive() -> Reply { ok() }

  static func ready(_ service: PINService) throws(Problem) -> Reply {
    guard !service.isDraining else { throw .draining }
    do throws(StoreError) { try service.store.check() } catch { throw Problem(error) }
    return ok()
  }

  private static func ok() -> Reply {
    var body = Bytes(capacity: 16)
    body.append("{\"status\":\"ok\"}")
    return .response(Response(status: 200, contentType: "application/json", body: body))
  }

  /// `GET /problems/{name}`: what a problem means and what to do.
  static func problem(_ name: UnsafeRawBufferPointer) throws(Problem) -> Reply {
    guard let kind = ProblemKind(rawValue: String(decoding: name, as: UTF8.self)) else {
      throw Problem(.notFound, "There is no problem of this name.")
    }
    var body = Bytes(capacity: 512)
    body.append(text: kind.title)
    body.append(" (")
    body.append(decimal: kind.status)
    body.append(")\n\n")
    body.append(text: kind.explanation)
    body.append("\n")
    return .response(Response(status: 200, contentType: "text/plain; charset=utf-8", body: body))
  }

  private static func file(_ get: (UnsafeMutablePointer<Int>?) -> UnsafePointer<UInt8>?) -> UnsafeRawBufferPointer {
    var count = 0
    let start = get(&count)
    return UnsafeRawBufferPointer(start: start, count: count)
  }
}
