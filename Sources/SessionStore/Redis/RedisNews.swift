/// What those who ask have found out and the keeper has to look after.
final class RedisNews: Sendable {
  let wake = WakeUp()
  private let log: @Sendable (String) -> Void
  private let state = Locked(State.starting)

  private enum State {
    /// Whoever starts is told what goes wrong, and says so.
    case starting
    case up, down
  }

  init(_ log: @escaping @Sendable (String) -> Void) { self.log = log }

  /// A server was up and is down.
  func tellDown(_ reason: String) {
    let isNew = change(from: .up, to: .down)
    if isNew { log("redis is down: \(reason)") }
    wake.ring()
  }

  /// All servers are up.
  func tellUp() {
    let isNew = change(from: .down, to: .up)
    if isNew { log("redis is up again") }
  }

  /// All servers were asked once: from now on the log is told.
  func hasStarted() { _ = change(from: .starting, to: .up) }

  private func change(from old: State, to new: State) -> Bool {
    state.withLock { state in
      guard state == old else { return false }
      state = new
      return true
    }
  }

  func say(_ text: String) { log(text) }
}
