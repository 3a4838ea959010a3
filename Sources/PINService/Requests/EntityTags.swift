import MicroHTTP
import PINEntry

/// The values of `If-Match` and `If-None-Match` (RFC 9110 §13.1).
enum EntityTags {
  /// Which revisions an `If-Match` accepts. Weak tags match nothing, as the comparison is strong.
  static func revisions(_ request: borrowing Request) throws(Problem) -> RevisionMatch {
    guard let field = request.header("If-Match") else { return .any }
    if field.equals("*") { return .any }
    var revisions: [UInt32] = []
    for tag in field.split(separator: UInt8(ascii: ",")) {
      let tag = tag.trimmingSpace()
      guard isTag(tag) else {
        throw .invalid([FieldError(.header("If-Match"), "is not a list of entity tags like \"3\"")])
      }
      let opaque = UnsafeRawBufferPointer(rebasing: tag.dropFirst().dropLast())
      if let revision = opaque.decimal.flatMap({ UInt32(exactly: $0) }) { revisions.append(revision) }
    }
    return .oneOf(revisions)
  }

  /// Whether an `If-None-Match` names `tag`, which stands in quotes.
  static func noneMatch(_ request: borrowing Request, _ tag: String) -> Bool {
    guard let field = request.header("If-None-Match") else { return false }
    if field.equals("*") { return true }
    return field.split(separator: UInt8(ascii: ",")).contains { candidate in
      var bytes = candidate.trimmingSpace()
      if bytes.starts(with: "W/") { bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(2)) }
      return bytes.elementsEqual(tag.utf8)
    }
  }

  private static func isTag(_ tag: UnsafeRawBufferPointer) -> Bool {
    let bytes = tag.starts(with: "W/") ? UnsafeRawBufferPointer(rebasing: tag.dropFirst(2)) : tag
    return bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
  }
}
