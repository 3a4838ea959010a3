internal import PINEntry
internal import Synchronization

/// Looks after the sessions that are watched on this node, on a thread of its own: at those that were woken at once, at
/// all of them every second, should a wake-up get lost, and at those whose timers are due.
final class RedisWatch: Sendable {
  private let common: RedisCommon
  private let copies: SessionCopies
  private let isStopping = Atomic(false)

  /// How many are looked at in one go.
  private static let slice = 128
  /// How often all are looked at, in ms; within a second, a lost wake-up is made good.
  private static let round: Int64 = 700

  init(_ common: RedisCommon, _ copies: SessionCopies) {
    self.common = common
    self.copies = copies
  }

  func stop() {
    isStopping.store(true, ordering: .releasing)
    common.watched.bell.ring()
  }

  /// The thread's function.
  func run() {
    var nextRound = common.clock.machineTime + Self.round
    while !isStopping.load(ordering: .acquiring) {
      let due = common.clock.milliseconds(until: common.watched.due)
      let wait = max(0, min(nextRound - common.clock.machineTime, due))
      Sodium.wipeStack()
      common.watched.bell.wait(milliseconds: Int(wait))
      let isWell = look(at: common.watched.takeDirty())
      for session in common.watched.takeDue(at: common.clock.now()) { session.runTimers() }
      let now = common.clock.machineTime
      if now >= nextRound {
        nextRound = now + Self.round
        look(at: common.watched.all)
        copies.sweep(at: now)
      } else if !isWell || due == 0 {
        // Redis is away, or late with what it was to forget: not again at once.
        common.watched.bell.wait(milliseconds: 5)
      }
    }
  }

  /// Takes what is new of these sessions; false if Redis can't be reached.
  @discardableResult private func look(at sessions: [RedisSession]) -> Bool {
    guard !common.link.isCluster else {
      // Each is at a place of its own.
      return sessions.allSatisfy { look(at: $0) }
    }
    var rest = sessions[...]
    while !rest.isEmpty {
      guard look(together: Array(rest.prefix(Self.slice))) else { return false }
      rest = rest.dropFirst(Self.slice)
    }
    return true
  }

  private func look(at session: RedisSession) -> Bool {
    guard let base = session.base else { return true }
    let answer = SessionCopy.look(base, session.keys, in: common)
    guard let answer else { return false }
    session.take(answer, askedFor: base)
    return true
  }

  private func look(together sessions: [RedisSession]) -> Bool {
    let asked = sessions.compactMap { session in session.base.map { (session: session, base: $0) } }
    guard asked.count > 1 else { return asked.allSatisfy { look(at: $0.session) } }
    let answers = common.lookTogether(asked.map { ($0.session.keys, $0.base) })
    guard let answers else { return false }
    for (index, (session, base)) in asked.enumerated() {
      // One that the script is not known for, as after a restart, is asked by itself, which makes it known.
      guard let answer = answers[index] else { return asked[index...].allSatisfy { look(at: $0.session) } }
      session.take(answer, askedFor: base)
    }
    return true
  }
}
