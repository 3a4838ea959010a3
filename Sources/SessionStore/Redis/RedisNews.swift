/// What those who ask have found out and the keeper has to look after.
final class RedisNews: Sendable {
  let wake = WakeUp()
  private let log: @Sendable (String) -> Void
  private let isDown = Locked(false)

  init(_ log: @escaping @Sendable (String) -> Void) { self.log = log }

  /// A server was up and is down.
  func tellDown(_ reason: String) {
    let isNew = isDown.withLock { isDown in
      defer { isDown = true }
      return !isDown
    }
    if isNew { log("redis is down: \(reason)") }
    wake.ring()
  }

  /// All servers are up.
  func tellUp() {
    let isNew = isDown.withLock { isDown in
      defer { isDown = false }
      return isDown
    }
    if isNew { log("redis is up again") }
  }

  func say(_ text: String) { log(text) }
}
