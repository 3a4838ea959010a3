internal import Glibc
internal import PINEntry

/// What all sessions in one Redis have in common.
final class RedisCommon: Sendable {
  let link: RedisLink
  let ring: KeyRing
  let clock: RedisClock
  let arena: Arena
  let counts = RedisCounts()
  let watched = WatchedSessions()
  let created: CreatedSessions
  /// ms between two points of the grid; 0 without one.
  let step: Int64
  private let onTrouble: @Sendable (String) -> Void
  private let refusals = Locked(Complaints<RedisFailure.Kind>())
  private let unreadable = Locked(Complaints<Unreadable>())

  init(
    _ link: RedisLink, _ ring: KeyRing, _ clock: RedisClock, _ arena: Arena, maximum: Int, step: Int64,
    _ onTrouble: @escaping @Sendable (String) -> Void
  ) {
    self.link = link
    self.ring = ring
    self.clock = clock
    self.arena = arena
    self.step = step
    self.onTrouble = onTrouble
    created = CreatedSessions(maximum: maximum)
  }

  /// Runs a script of `SessionScripts`; nil: Redis can't be reached, or has what can't be read.
  ///
  /// A reply that was lost is asked for once more where that tells at once: a script that was run already says so.
  ///
  /// - Parameter deadline: until when all of it may take.
  func ask(
    _ script: RedisScript, _ keys: RedisKeys, _ arguments: [RedisArgument], by deadline: Deadline
  ) -> RedisAnswer? {
    let start = Self.microseconds
    defer { counts.asked(for: Self.microseconds - start) }
    do throws(RedisError) {
      return try once(script, keys, arguments, by: deadline)
    } catch {
      guard error == .replyLost else { return failed(error) }
    }
    do throws(RedisError) {
      return try once(script, keys, arguments, by: deadline)
    } catch {
      return failed(error)
    }
  }

  private static var microseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }

  private func failed(_ error: RedisError) -> RedisAnswer? {
    noteFailure(error)
    return nil
  }

  /// Counts it. What Redis refuses the log is told, now and then; that a server is down it is told by the link.
  func noteFailure(_ error: RedisError) {
    counts.failed()
    guard case .refused(let failure) = error else { return }
    let now = clock.machineTime
    if refusals.withLock({ $0.isNews(failure.kind, at: now) }) { link.say("redis refuses: \(failure.text)") }
  }

  /// Counts what could not be read, and tells the log now and then.
  func couldNotRead(_ reason: Unreadable) {
    counts.couldNotRead()
    let now = clock.machineTime
    guard unreadable.withLock({ $0.isNews(reason, at: now) }) else { return }
    onTrouble("a session in redis can't be read: \(reason.description)")
  }

  /// Says in Redis which keys this node has, and tells the log if those of another are others.
  func compareKeys(_ comparison: inout KeyComparison) {
    do throws(RedisError) {
      for difference in try comparison.look() { onTrouble(difference.description) }
      try comparison.leave()
    } catch {
      noteFailure(error)
    }
  }

  private func once(
    _ script: RedisScript, _ keys: RedisKeys, _ arguments: [RedisArgument], by deadline: Deadline
  ) throws(RedisError) -> RedisAnswer? {
    let asked = clock.machineTime
    let reply = try link.eval(script, keys: keys.all, arguments: arguments, at: keys.slot, by: deadline)
    return reply.withValue { read($0, askedAt: asked) }
  }

  /// Looks at several sessions, with one round trip for those that are on one server. Nil stands for those that could
  /// not be looked at in this way, such as those that have moved to another server, or whose server is away.
  func lookTogether(
    _ asked: [(keys: RedisKeys, base: SessionCopy.Base)], by deadline: Deadline
  ) -> [RedisAnswer?] {
    var answers: [RedisAnswer?] = asked.map { _ in nil }
    for group in link.byServer(asked.map(\.keys.slot)) {
      do throws(RedisError) {
        try lookTogether(group.map { asked[$0] }, by: deadline) { answers[group[$0]] = $1 }
      } catch {
        noteFailure(error)
      }
    }
    return answers
  }

  private func lookTogether(
    _ asked: [(keys: RedisKeys, base: SessionCopy.Base)], by deadline: Deadline, _ take: (Int, RedisAnswer?) -> Void
  ) throws(RedisError) {
    let start = Self.microseconds
    defer { counts.asked(for: Self.microseconds - start) }
    let askedAt = clock.machineTime
    let stamps = asked.map { $0.base.stamp?.littleEndian ?? 0 }
    try stamps.withUnsafeBufferPointer { stamps throws(RedisError) in
      let commands = asked.enumerated().map { index, asked -> [RedisArgument] in
        let stamp = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: stamps[index...index]))
        // The first one makes the script known to a Redis that has just started.
        let script: [RedisArgument] =
          index == 0 ? ["EVAL", .text(SessionScripts.look.text)] : ["EVALSHA", .text(SessionScripts.look.hash)]
        return script + [.number(4)] + asked.keys.all + SessionCopy.lookArguments(asked.base, stamp)
      }
      let replies = try link.pipeline(asGrouped: commands, at: asked[0].keys.slot, by: deadline)
      replies.withValues { values in
        for (index, value) in values.enumerated() { take(index, read(value, askedAt: askedAt)) }
      }
    }
  }

  /// Nil if it can't be read.
  func read(_ value: RedisValue, askedAt asked: Int64) -> RedisAnswer? {
    if value.failure != nil { return nil }
    do throws(RecordError) {
      let (answer, time) = try RedisAnswer.read(value)
      clock.observe(time, askedAt: asked)
      return answer
    } catch {
      couldNotRead(.record)
      return nil
    }
  }
}
