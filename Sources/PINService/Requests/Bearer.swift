import MicroHTTP

/// The credentials of `Authorization: Bearer …` (RFC 6750 §2.1).
enum Bearer {
  case none
  /// A token, or whatever stands in its place: credentials of another scheme are a token that fits nothing.
  case token(UnsafeRawBufferPointer)

  init(_ request: borrowing Request) {
    guard let field = request.header("Authorization") else {
      self = .none
      return
    }
    let scheme: StaticString = "Bearer "
    let isBearer =
      field.count > scheme.utf8CodeUnitCount
      && UnsafeRawBufferPointer(rebasing: field[..<scheme.utf8CodeUnitCount]).equalsIgnoringCase(scheme)
    self = .token(isBearer ? field[scheme.utf8CodeUnitCount...].trimmingSpace() : .init(start: nil, count: 0))
  }
}
