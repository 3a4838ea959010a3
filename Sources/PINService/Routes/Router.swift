import MicroHTTP

/// Finds what a request asks for in the table of routes.
struct Router: Sendable {
  private let routes: [Route]

  init(_ routes: [Route]) { self.routes = routes }

  /// What was found; nothing of it is sure to be there.
  struct Found {
    /// The place of the route in the table.
    var routeIndex: Int?
    /// What stands for `{name}` in the path; valid while the request is.
    var name = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The place of the endpoint in the route.
    var endpointIndex: Int?
  }

  func find(_ request: borrowing Request) -> Found {
    let path = request.path
    for index in routes.indices {
      guard let name = routes[index].match(path) else { continue }
      return Found(routeIndex: index, name: name, endpointIndex: routes[index].endpoint(for: request.method))
    }
    return Found()
  }

  subscript(_ found: Found) -> Route? { found.routeIndex.map { routes[$0] } }
}
