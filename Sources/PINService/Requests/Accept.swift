import MicroHTTP

/// What a reader of events takes (RFC 9110 §12.5.1). Only what is named counts: a browser's `*/*` is no wish for JSON.
struct Accept {
  /// Whether it names JSON and no event stream.
  let prefersJSON: Bool

  init(_ request: borrowing Request) {
    guard let field = request.header("Accept") else {
      prefersJSON = false
      return
    }
    let types = field.split(separator: UInt8(ascii: ",")).map { MediaType($0.trimmingSpace()) }
    prefersJSON =
      types.contains { $0.isOne(of: ["application/json"]) } && !types.contains { $0.isOne(of: ["text/event-stream"]) }
  }
}
