import MicroHTTP
import StaticFiles
import WipingBuffer

/// What the service has to show besides sessions.
struct Pages: Sendable {
  let page: StaticPage
  let pinEntry: StaticPage
  let openAPI: StaticPage

  init() {
    let html = Self.file(static_page)
    page = StaticPage(html, type: "text/html; charset=utf-8", policy: Self.policy(of: html))
    pinEntry = StaticPage(Self.file(static_pin_entry), type: "text/javascript; charset=utf-8")
    openAPI = StaticPage(Self.file(static_openapi), type: "application/json")
  }

  static func alive() -> Reply { ok() }

  static func ready(_ service: PINService) throws(Problem) -> Reply {
    guard !service.isDraining else { throw .draining }
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

  /// Lets the page run its own scripts and nothing else, and make no markup from text.
  private static func policy(of html: UnsafeRawBufferPointer) -> String {
    let text = String(decoding: html, as: UTF8.self)
    let scripts = hashes(of: "script", in: text)
    let styles = hashes(of: "style", in: text)
    return "default-src 'none'; script-src 'self' \(scripts); style-src \(styles); img-src 'self'; connect-src 'self'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
      + "require-trusted-types-for 'script'; trusted-types 'none'"
  }

  /// The hashes of what stands between a tag's ends, for a Content-Security-Policy.
  private static func hashes(of tag: String, in text: String) -> String {
    let close = "</\(tag)>"
    let parts = text.split(separator: "<\(tag)>").dropFirst()
    let hashes = parts.compactMap { part in
      part.firstRange(of: close).map { "'sha256-" + Digest.base64(Digest.sha256(part[..<$0.lowerBound].utf8)) + "'" }
    }
    return hashes.isEmpty ? "'none'" : hashes.joined(separator: " ")
  }
}
