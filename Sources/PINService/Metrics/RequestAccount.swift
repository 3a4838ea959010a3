/// Where a request is counted, and logged if requests are.
struct RequestAccount: Sendable {
  let counts: EndpointCounts
  /// Nil: it is not logged.
  let log: Log?
  let request: TraceID?

  /// Takes the answer's status, and how long it took.
  func close(_ status: Int, _ nanoseconds: UInt64) {
    counts.count(status, nanoseconds)
    log?.tell(request, route: counts.route, method: counts.method, status: status, nanoseconds: nanoseconds)
  }
}
