import Glibc
import SessionStore
import Synchronization
import WipingBuffer

/// What the service counts. No label names a session.
final class Metrics: Sendable {
  private let endpoints: [EndpointCounts]
  /// For each route, where its endpoints' counts begin; one for each endpoint and one for all other methods.
  private let starts: [Int]
  private let unknownPath: EndpointCounts
  private let events = Atomic<Int>(0)
  let refused = RefusedCounts()

  init(_ routes: [Route]) {
    var endpoints: [EndpointCounts] = []
    var starts: [Int] = []
    for route in routes {
      starts.append(endpoints.count)
      for endpoint in route.endpoints {
        endpoints.append(EndpointCounts(route: route.pattern, method: endpoint.method.name))
      }
      endpoints.append(EndpointCounts(route: route.pattern, method: "other"))
    }
    self.endpoints = endpoints
    self.starts = starts
    unknownPath = EndpointCounts(route: "none", method: "other")
  }

  /// A time to measure from, in ns.
  static func time() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// Where requests are counted that ask for what was found.
  func counts(_ found: Router.Found, _ route: Route?) -> EndpointCounts {
    guard let index = found.routeIndex, let route else { return unknownPath }
    return endpoints[starts[index] + (found.endpointIndex ?? route.endpoints.count)]
  }

  /// Counts an event that a stream has been given.
  func countEvent() { events.add(1, ordering: .relaxed) }

  var eventsSent: Int { events.load(ordering: .relaxed) }

  /// Calls `body` with each kind of request that there has been.
  func forEachEndpoint(_ body: (EndpointCounts) -> Void) {
    endpoints.forEach(body)
    body(unknownPath)
  }
}
