/// A request's method (RFC 9110 §9); the names are case-sensitive.
package enum Method: Sendable {
  case get, head, post, put, patch, delete, options
  /// Any other.
  case other

  init(_ text: UnsafeRawBufferPointer) {
    self =
      switch text.count {
      case 3 where text.equals("GET"): .get
      case 3 where text.equals("PUT"): .put
      case 4 where text.equals("POST"): .post
      case 4 where text.equals("HEAD"): .head
      case 5 where text.equals("PATCH"): .patch
      case 6 where text.equals("DELETE"): .delete
      case 7 where text.equals("OPTIONS"): .options
      default: .other
      }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are those of `text`.
  func equals(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount
      && zip(self, UnsafeBufferPointer(start: text.utf8Start, count: count)).allSatisfy(==)
  }
}
