import MicroHTTP

/// Whether a request is answered by a stream: then it must not be refused with a status that a browser never comes back
/// from, only because the store is away for a moment.
enum StreamRequest {
  static func isOne(_ request: borrowing Request) -> Bool {
    guard request.method == .get || request.method == .head, request.path.hasSuffix("/events") else { return false }
    if request.path.elementsEqual("/v1/events".utf8) { return true }
    var query = Query(request.query)
    return query.bytes("wait") == nil && query.bytes("after") == nil && !Accept(request).prefersJSON
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func hasSuffix(_ text: StaticString) -> Bool {
    suffix(text.utf8CodeUnitCount).elementsEqual(
      UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
