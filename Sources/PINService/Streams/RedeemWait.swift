import MicroHTTP
import PINEntry
import SessionStore
import WipingBuffer

/// A redeem with `hold` that waits until the entry is complete.
final class RedeemWait: WatchingSource {
  private let session: SessionHandle
  private let precondition: Precondition
  private let deadline: Int64
  private let service: PINService
  private let origin: AllowedOrigin
  private let trace: TraceID?
  nonisolated(unsafe) unowned var stream: OpenStream?
  nonisolated(unsafe) var watcher: (any SessionWatcher)?

  var sessions: [SessionHandle] { [session] }

  /// The others of this kind only read what this process knows.
  var mayWait: Bool { true }

  /// - Parameter deadline: when it gives up, in ms of the clock that `next` is given.
  init(
    _ session: SessionHandle, if precondition: Precondition, until deadline: Int64, origin: AllowedOrigin,
    trace: TraceID?, service: PINService
  ) {
    self.session = session
    self.precondition = precondition
    self.deadline = deadline
    self.origin = origin
    self.trace = trace
    self.service = service
  }

  func next(into out: inout Bytes, at now: Int64) -> StreamStep {
    let waits = now < deadline && !service.endsStreams
    if isIncomplete {
      // A precondition is for the session to judge.
      if waits && precondition == .none { return .idle(until: deadline) }
      // A stop is no time to ask another machine.
      if !waits && now < deadline {
        return .respond(service.finish(Problem.draining.response(), origin, isRead: false))
      }
    }
    do {
      let response = try Redemption.redeem(session, hold: true, if: precondition, service.log, trace)
      return .respond(service.finish(response, origin, isRead: false))
    } catch {
      if error.kind == .incomplete && waits { return .idle(until: deadline) }
      // A wait that the service cuts short knows nothing of how the entry goes on.
      let problem = error.kind == .incomplete && now < deadline ? .draining : error
      return .respond(service.finish(problem.response(), origin, isRead: false))
    }
  }

  /// Whether this process knows already that there is nothing to redeem: most events are digits, and there is no need to
  /// ask a Redis at each.
  private var isIncomplete: Bool {
    session.read { $0.session.status == .open && !$0.session.complete } ?? false
  }

  func hasFallenBehind() -> Bool { false }

  func closed() {
    guard let stream else { return }
    guard let grid = service.grid else { return session.unwatch(stream) }
    grid.add(LeavingWatcher(session, stream))
  }
}
