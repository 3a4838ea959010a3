internal import Glibc
internal import PINEntry
internal import Synchronization

/// What all sessions in one Redis have in common.
final class RedisCommon: Sendable {
  let link: RedisLink
  let ring: KeyRing
  let clock: RedisClock
  let arena: Arena
  let counts = RedisCounts()
  let watched = WatchedSessions()
  let created: CreatedSessions
  private let refusals = Locked(Refusals())

  init(_ link: RedisLink, _ ring: KeyRing, _ clock: RedisClock, _ arena: Arena, maximum: Int) {
    self.link = link
    self.ring = ring
    self.clock = clock
    self.arena = arena
    created = CreatedSessions(maximum: maximum)
  }

  /// Runs a script of `SessionScripts`; nil: Redis can't be reached, or has what can't be read.
  ///
  /// A reply that was lost is asked for once more where that tells at once: a script that was run already says so.
  func ask(_ script: RedisScript, _ keys: RedisKeys, _ arguments: [RedisArgument]) -> RedisAnswer? {
    let start = Self.microseconds
    defer { counts.asked(for: Self.microseconds - start) }
    do throws(RedisError) {
      return try once(script, keys, arguments)
    } catch {
      guard error == .replyLost else { return failed(error) }
    }
    do throws(RedisError) {
      return try once(script, keys, arguments)
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

  private func once(
    _ script: RedisScript, _ keys: RedisKeys, _ arguments: [RedisArgument]
  ) throws(RedisError) -> RedisAnswer? {
    let asked = clock.machineTime
    let reply = try link.eval(script, keys: keys.all, arguments: arguments, at: keys.slot)
    return reply.withValue { read($0, askedAt: asked) }
  }

  /// Looks at several sessions in one go, as far as they are on one server; nil if Redis can't be reached. One that
  /// can't be read, or that Redis can't look at without being told the script, has no answer.
  func lookTogether(_ asked: [(keys: RedisKeys, base: SessionCopy.Base)]) -> [RedisAnswer?]? {
    guard let slot = asked.first?.keys.slot else { return [] }
    let start = clock.machineTime
    let stamps = asked.map { $0.base.stamp?.littleEndian ?? 0 }
    return stamps.withUnsafeBytes { stamps in
      let commands = asked.enumerated().map { index, asked -> [RedisArgument] in
        let stamp = UnsafeRawBufferPointer(rebasing: stamps[(index * 8)..<(index * 8 + 8)])
        return ["EVALSHA", .text(SessionScripts.look.hash), .number(4)] + asked.keys.all
          + [.bytes(stamp), .number(Int64(asked.base.eventID))]
      }
      do throws(RedisError) {
        return try link.pipeline(commands, at: slot).withValues { values in values.map { read($0, askedAt: start) } }
      } catch {
        noteFailure(error)
        return nil
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
      counts.couldNotRead()
      return nil
    }
  }
}

/// What is counted of the dealings with Redis.
final class RedisCounts: Sendable {
  private let calls = Atomic<Int>(0)
  private let microseconds = Atomic<Int>(0)
  private let failures = Atomic<Int>(0)
  private let unreadable = Atomic<Int>(0)
  private let conflicts = Atomic<Int>(0)
  private let stepsBack = Atomic<Int>(0)

  func asked(for time: Int) {
    calls.add(1, ordering: .relaxed)
    microseconds.add(time, ordering: .relaxed)
  }

  func failed() { failures.add(1, ordering: .relaxed) }
  func couldNotRead() { unreadable.add(1, ordering: .relaxed) }
  func conflicted() { conflicts.add(1, ordering: .relaxed) }
  func steppedBack() { stepsBack.add(1, ordering: .relaxed) }

  var figures: StoreFigures {
    StoreFigures(
      calls: calls.load(ordering: .relaxed), microseconds: microseconds.load(ordering: .relaxed),
      failures: failures.load(ordering: .relaxed), unreadable: unreadable.load(ordering: .relaxed),
      conflicts: conflicts.load(ordering: .relaxed), stepsBack: stepsBack.load(ordering: .relaxed))
  }
}

/// How a store that is elsewhere is doing, since the start.
package struct StoreFigures: Sendable {
  /// Sessions asked for and edits committed.
  package let calls: Int
  /// How long they took, in all.
  package let microseconds: Int
  /// Those that got no answer.
  package let failures: Int
  /// Answers that could not be read.
  package let unreadable: Int
  /// Edits that were made again because another node was first.
  package let conflicts: Int
  /// Sessions that were found to have lost events.
  package let stepsBack: Int
}

extension RedisError {
  /// For the log.
  package var reason: String {
    switch self {
    case .unavailable(let reason): reason
    case .replyLost: "no reply"
    case .refused(let failure): failure.text
    }
  }
}
