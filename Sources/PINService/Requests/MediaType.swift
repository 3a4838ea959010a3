import MicroHTTP

/// The type and subtype of a `Content-Type`, without its parameters.
struct MediaType {
  let bytes: UnsafeRawBufferPointer

  /// - Parameter field: the whole field.
  init(_ field: UnsafeRawBufferPointer) {
    let end = field.firstIndex(of: UInt8(ascii: ";")) ?? field.endIndex
    bytes = field[..<end].trimmingSpace()
  }

  func isOne(of names: [StaticString]) -> Bool { names.contains { bytes.equalsIgnoringCase($0) } }
}

/// The bodies of requests.
enum BodyType {
  private static let json: [StaticString] = ["application/json", "application/x-www-form-urlencoded"]
  private static let patch: [StaticString] = json + ["application/merge-patch+json"]

  /// Refuses a body that does not say it is JSON; curl's default is taken, as what does not parse is refused anyway.
  static func check(_ request: borrowing Request) throws(Problem) {
    guard !request.body.isEmpty, let field = request.header("Content-Type") else { return }
    // What most say needs no reading.
    if field.equals("application/json") { return }
    let isPatch = request.method == .patch
    if MediaType(field).isOne(of: isPatch ? patch : json) { return }
    throw Problem(
      .unsupportedMediaType, isPatch ? "Send application/merge-patch+json." : "Send application/json.",
      extra: isPatch ? .acceptPatch : .none)
  }
}
