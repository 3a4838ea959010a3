/// The `Content-Security-Policy` of the page.
enum PagePolicy {
  /// Lets the page run its own scripts and nothing else, and make no markup from text.
  ///
  /// - Parameters:
  ///   - given: takes the place of all but `frame-ancestors`; empty: nothing does.
  ///   - ancestors: origins of pages that may have it in a frame, or `self`.
  static func text(given: String, ancestors: [String]) -> String {
    let policy = given.isEmpty ? own : given
    if policy.contains("frame-ancestors") { return policy }
    let sources = ancestors.map { $0 == "self" ? "'self'" : $0 }
    return policy + "; frame-ancestors " + (sources.isEmpty ? "'none'" : sources.joined(separator: " "))
  }

  private static let own = {
    let text = String(decoding: Pages.html, as: UTF8.self)
    return "default-src 'none'; script-src 'self' \(hashes(of: "script", in: text)); "
      + "style-src \(hashes(of: "style", in: text)); img-src 'self'; connect-src 'self'; base-uri 'none'; "
      + "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
  }()

  /// The hashes of what stands between a tag's ends.
  private static func hashes(of tag: String, in text: String) -> String {
    let close = "</\(tag)>"
    let parts = text.split(separator: "<\(tag)>").dropFirst()
    let hashes = parts.compactMap { part in
      part.firstRange(of: close).map { "'sha256-" + Digest.base64(Digest.sha256(part[..<$0.lowerBound].utf8)) + "'" }
    }
    return hashes.isEmpty ? "'none'" : hashes.joined(separator: " ")
  }
}
