internal import PINEntry
internal import Synchronization

/// Looks after the sessions that are watched on this node, on a thread of its own: at those that were woken at once, at
/// all of them every second, should a wake-up get lost, and at those whose timers are due. And now and then at the keys
/// of other nodes.
final class RedisWatch: Sendable {
  private let common: RedisCommon
  private let copies: SessionCopies
  private let comparison: KeyComparison
  private let isStopping = Atomic(false)

  /// How many are looked at, or have their timers run, in one go.
  private static let slice = 128
  /// For how many ms timers are run in one go, each of which Redis has to be told of.
  private static let longestRun: Int64 = 100
  /// How often all are looked at, in ms: a wake-up that was lost is made good within a second, if Redis answers and
  /// looking at all takes no longer than what is left of it.
  private static let round: Int64 = 700

  init(_ common: RedisCommon, _ copies: SessionCopies, _ comparison: KeyComparison) {
    self.common = common
    self.copies = copies
    self.comparison = comparison
  }

  func stop() {
    isStopping.store(true, ordering: .releasing)
    common.watched.bell.ring()
  }

  /// The thread's function.
  func run() {
    var nextRound = common.clock.machineTime + Self.round
    var nextComparison = common.clock.machineTime
    var comparison = comparison
    while !isStopping.load(ordering: .acquiring) {
      let due = common.clock.milliseconds(until: common.watched.due)
      let wait = max(0, min(nextRound - common.clock.machineTime, due))
      Sodium.wipeStack()
      common.watched.bell.wait(milliseconds: Int(wait))
      let isWell = look(at: common.watched.takeDirty())
      runTimers()
      let now = common.clock.machineTime
      if now >= nextRound {
        nextRound = now + Self.round
        look(at: common.watched.all)
        copies.sweep(at: now)
        if now >= nextComparison {
          nextComparison = now + RedisKeyNames.interval
          common.compareKeys(&comparison)
        }
      } else if !isWell || due == 0 {
        // Redis is away, or late with what it was to forget: not again at once.
        common.watched.bell.wait(milliseconds: 5)
      }
    }
  }

  /// Runs timers that are due, those of some sessions at a time, and not for long: news of others don't wait for all of
  /// them.
  private func runTimers() {
    let due = common.watched.takeDue(at: common.clock.now(), most: Self.slice)
    let end = common.clock.machineTime + Self.longestRun
    for session in due {
      if isStopping.load(ordering: .acquiring) { return }
      guard common.clock.machineTime < end else {
        common.watched.note(session.deadline)
        continue
      }
      if !session.runTimers() {
        common.watched.putOff(session, until: Instant(milliseconds: common.clock.now().milliseconds + Self.round))
      }
    }
  }

  /// Takes what is new of these sessions; false if one of them could not be looked at, which keeps none of the others
  /// waiting: a server that is known to be down says so at once.
  @discardableResult private func look(at sessions: [RedisSession]) -> Bool {
    var isWell = true
    var rest = sessions[...]
    while !rest.isEmpty && !isStopping.load(ordering: .acquiring) {
      if !look(together: rest.prefix(Self.slice)) { isWell = false }
      rest = rest.dropFirst(Self.slice)
    }
    return isWell
  }

  private func look(at session: RedisSession) -> Bool {
    guard let base = session.nextBase() else { return true }
    let deadline = common.link.deadline
    guard let answer = SessionCopy.look(base, session.keys, in: common, by: deadline) else { return false }
    session.take(answer, askedFor: base, by: deadline)
    return true
  }

  private func look(together sessions: ArraySlice<RedisSession>) -> Bool {
    let asked = sessions.compactMap { session in session.nextBase().map { (session: session, base: $0) } }
    guard asked.count > 1 else { return asked.first.map { look(at: $0.session) } ?? true }
    let deadline = common.link.deadline
    let answers = common.lookTogether(asked.map { ($0.session.keys, $0.base) }, by: deadline)
    var isWell = true
    for ((session, base), answer) in zip(asked, answers) {
      if let answer {
        session.take(answer, askedFor: base, by: deadline)
      } else if !look(at: session) {
        // By itself, as it may be elsewhere now.
        isWell = false
      }
    }
    return isWell
  }
}
