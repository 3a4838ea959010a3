package import CellSVG
package import MicroHTTP
import PINEntry
package import SessionStore
import Synchronization
import WipingBuffer

/// The service: turns requests into answers.
package final class PINService: Sendable {
  let store: any SessionStore
  let tokens: TokenKey
  let hashing: HashKey
  let metrics: Metrics
  let log: Log
  let pages: Pages
  /// When those who watch get to see what has happened; nil: at once.
  let grid: WatchGrid?
  let router = Router(Route.all)
  private let ruling: Locked<Rules>
  /// So that requests need no lock where no page from elsewhere may use the service.
  private let hasOrigins: Atomic<Bool>
  private let clock: Clock
  let rates = Rates()
  private let watched = Locked<Server?>(nil)
  private let stage = Atomic<Stage>(.serving)

  /// For how many ms a request may wait for its turn to ask the store.
  private let longestQueue: Int64
  private let isStoreElsewhere: Bool

  /// Seconds that a wait may last.
  static let longestWait = 50

  package init(
    _ settings: ServiceSettings, store: any SessionStore, styles: StyleCatalog, log: Log, clock: Clock = .system
  ) {
    self.store = store
    longestQueue = Int64(settings.longestQueue)
    isStoreElsewhere = store.figures != nil
    self.clock = clock
    tokens = store.tokens
    hashing = store.hashes
    ruling = Locked(Rules(settings, styles))
    hasOrigins = Atomic(!settings.allowedOrigins.isEmpty)
    metrics = Metrics(Route.all)
    self.log = log
    pages = Pages()
    let watched = watched
    grid =
      settings.watchGrid > 0
      ? WatchGrid(
        step: Int64(settings.watchGrid), clock: { store.now() },
        onPoint: { delay in watched.withLock { $0 }?.wakeTimers(by: clock.now().milliseconds + delay) })
      : nil
  }

  /// Takes other settings and styles. Requests under way go on with those they have seen, and sessions keep styles that
  /// are gone.
  package func reload(_ settings: ServiceSettings, styles: StyleCatalog) {
    ruling.withLock { rules in
      var styles = styles
      styles.keep(rules.styles)
      rules = Rules(settings, styles)
      hasOrigins.store(!settings.allowedOrigins.isEmpty, ordering: .releasing)
    }
  }

  /// What holds now.
  var rules: Rules { ruling.withLock { $0 } }

  func allowedOrigin(of request: borrowing Request) -> AllowedOrigin {
    hasOrigins.load(ordering: .acquiring) ? rules.origins.origin(of: request) : .off
  }

  func now() -> Instant { clock.now() }

  /// The version that the metrics tell.
  package static let version: StaticString = "1.0.0"

  /// The server whose counts the metrics tell.
  package func watch(_ server: Server) { watched.withLock { $0 = server } }

  var server: Server? { watched.withLock { $0 } }

  /// Shows watchers what has happened, if it is time; returns when it has to be called again, in ms of `monotonicNow`.
  package func runGrid(at now: Int64) -> Int64 { grid?.run(at: now) ?? .max }

  /// As much of a session as may be seen now.
  ///
  /// - Parameter isTrusted: by the holder of a token.
  func sight(_ access: borrowing SessionAccess, isTrusted: Bool = false) -> Sight {
    guard grid != nil, !isTrusted, !isLastSight else { return Sight(access) }
    return Sight(access, past: access.past)
  }

  /// From now on `readyz` says no, nothing new is begun that lasts, and keypads whose requests begin now are refused, so
  /// that no edit is acknowledged of which streams don't tell any more.
  package func drain() { stage.store(.draining, ordering: .releasing) }

  /// From now on streams and waits end as soon as they are woken and have told all.
  package func endStreams() { stage.store(.ending, ordering: .releasing) }

  /// From now on nobody begins to ask a store that is elsewhere.
  package func close() { stage.store(.closing, ordering: .releasing) }

  var isDraining: Bool { stage.load(ordering: .acquiring) != .serving }

  var endsStreams: Bool { stage.load(ordering: .acquiring).rawValue >= Stage.ending.rawValue }

  /// Whether nobody shows later what is held back now. Over a store that is elsewhere another node does, at which who
  /// watches must not have seen more than it knows of.
  private var isLastSight: Bool { endsStreams && !isStoreElsewhere }

  private var isClosing: Bool { stage.load(ordering: .acquiring) == .closing }

  private enum Stage: UInt8, AtomicRepresentable {
    case serving, draining, ending, closing
  }

  /// Whether the answer may have to wait for another machine, if the store is on one.
  package func mayWait(_ request: borrowing Request) -> Bool {
    request.method != .options && !isClosing && router[router.find(request)]?.asksStore ?? false
  }

  /// Refuses what has waited for too long for its turn to ask the store. And, if that is elsewhere, what comes when all
  /// else has been done: it would hold up the stop, and other nodes answer it.
  func checkTurn(_ request: borrowing Request) throws(Problem) {
    if isClosing && isStoreElsewhere { throw .draining }
    guard request.waited > longestQueue else { return }
    metrics.refused.count(.store)
    throw .storeOverloaded
  }

  /// Answers one request.
  package func respond(to request: borrowing Request) -> Reply {
    let start = Metrics.time()
    let found = router.find(request)
    let origin = allowedOrigin(of: request)
    let reply: Reply
    do {
      reply = finish(try answer(request, found, origin), origin, isRead: request.isRead)
    } catch {
      if error.kind == .unavailable && StreamRequest.isOne(request) {
        reply = .stream(OpenStream(EndedStream()), head: streamHead(request))
      } else {
        reply = .response(finish(error.response(), origin, isRead: request.isRead))
      }
    }
    settle(reply, account(request, found), Metrics.time() &- start)
    return reply
  }

  func account(_ request: borrowing Request, _ found: Router.Found) -> RequestAccount {
    let counts = metrics.counts(found, router[found])
    guard log.takesRequests else { return RequestAccount(counts: counts, log: nil, request: nil) }
    return RequestAccount(counts: counts, log: log, request: TraceID(request))
  }

  /// Counts an answer; that of a stream or wait only when it has come to one.
  private func settle(_ reply: borrowing Reply, _ account: RequestAccount, _ duration: UInt64) {
    switch reply {
    case .response(let response): account.close(response.status, duration)
    case .stream(let stream, _): stream.onAnswer = { account.close($0, duration) }
    case .longPoll(let stream): stream.onAnswer = { account.close($0, duration) }
    }
  }

  private func answer(
    _ request: borrowing Request, _ found: Router.Found, _ origin: AllowedOrigin
  ) throws(Problem) -> Reply {
    if let refusal = request.refusal { throw Problem(refusal) }
    guard let route = router[found] else { throw Problem(.notFound, "There is nothing at this path.") }
    if request.method == .options { return options(route, request, origin) }
    if route.isOfSession {
      return try answerSession(request, route, found)
    }
    guard let index = found.endpointIndex, case .service(let handler) = route.endpoints[index].handler else {
      throw .methodNotAllowed(route)
    }
    return try handler(self, request, found.name)
  }

  private func answerSession(
    _ request: borrowing Request, _ route: Route, _ found: Router.Found
  ) throws(Problem) -> Reply {
    guard let id = SessionID(found.name) else { throw .gone }
    try checkTurn(request)
    guard let session = try store.session(id) else { throw .gone }
    guard let index = found.endpointIndex, case .session(let access, let handler) = route.endpoints[index].handler
    else {
      throw .methodNotAllowed(route)
    }
    let role = try role(request, session)
    try access.check(role)
    if request.isLate && access == .type { throw .draining }
    if !request.isRead { try BodyType.check(request) }
    return try handler(self, request, SessionCall(session: session, role: role))
  }

  /// Whose token the request carries; one that is not of this session is refused, also where none is needed.
  private func role(_ request: borrowing Request, _ session: SessionHandle) throws(Problem) -> Role? {
    switch Bearer(request) {
    case .none: return nil
    case .token(let token):
      guard let role = tokens.role(of: token, session.tokens) else { throw wrongToken(for: [session]) }
      return role
    }
  }

  private func options(_ route: Route, _ request: borrowing Request, _ origin: AllowedOrigin) -> Reply {
    var response = Response(status: 204, contentType: nil, body: Bytes())
    response.setHeader("Allow", text: route.allow)
    if case .origin = origin, request.header("Access-Control-Request-Method") != nil {
      response.setHeader("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE")
      response.setHeader(
        "Access-Control-Allow-Headers",
        "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID")
      response.setHeader("Access-Control-Max-Age", "600")
    }
    return .response(response)
  }
}
