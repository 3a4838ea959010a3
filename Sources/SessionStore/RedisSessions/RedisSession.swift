package import PINEntry

/// A session in Redis, of which this process has a copy. Its id and nonce never change; everything else is reached
/// through `access`.
///
/// An edit is made on a copy of the copy and committed if Redis still has what it was made on; else it is made again on
/// what Redis has. So a copy may be old, and an answer never is.
public final class RedisSession: Sendable {
  package let id: SessionID
  package let nonce: SessionID
  package let tokens: TokenHashes
  /// When it was created, in seconds since 1970.
  package let createdOn: UInt32
  let keys: RedisKeys
  let common: RedisCommon
  /// One edit of this process at a time, so that they don't compete with each other; taken before the state's lock.
  private let turn = Turn()
  let state: Locked<State>

  struct State: ~Copyable {
    var copy: SessionCopy
    var watchers: [any SessionWatcher] = []
    /// When it was used last, by the machine's clock in ms.
    var usedAt: Int64
    /// How many looks and edits have begun.
    var begun: UInt64 = 0
    /// Which of them found or made in Redis what the copy is of; 0: none.
    var seen: UInt64 = 0

    /// The base of the one that begins now; nil if the session is gone.
    mutating func nextBase() -> SessionCopy.Base? {
      begun += 1
      var base = copy.base
      base?.number = begun
      return base
    }
  }

  /// How often an edit is made anew because other nodes were first. Of those that compete one always gets through.
  private static let tries = 100

  init(_ copy: consuming SessionCopy, _ kept: KeptSession, in common: RedisCommon) {
    id = kept.id
    nonce = kept.nonce
    createdOn = kept.createdOn
    tokens = common.ring.tokens.hashes(kept.id, kept.nonce)
    keys = RedisKeys(kept.id)
    self.common = common
    state = Locked(State(copy: copy, usedAt: common.clock.machineTime))
  }

  /// Runs `body` with the newest state of the session, after the timers that are due, commits what it has changed, and
  /// then wakes whoever watches if there were events. `body` is run again if another node was first.
  ///
  /// Those that waited for their turn while another looked share what the next one finds: that look began after they had
  /// asked, so many readers make two round trips and not one each.
  ///
  /// - Parameters:
  ///   - deadline: until when all of it may take, waiting for other edits of this process too.
  ///   - known: the stamp that Redis was seen to have since the request came; nil: it was not looked at.
  func access<R: ~Copyable, E: Error>(
    by deadline: Deadline, known: UInt64? = nil, _ body: (inout SessionAccess) throws(E) -> R
  ) throws(E) -> Accessed<R> {
    var woken: [any SessionWatcher] = []
    defer { for watcher in woken { watcher.wake() } }
    // All of this uses more of the stack than is wiped after an answer, and has worked with digits.
    defer { Sodium.wipeStack() }
    let before = state.withLock { $0.begun }
    let accessed = try turn.take(by: deadline) { () throws(E) -> Accessed<R> in
      for _ in 0..<Self.tries {
        guard let begun = begin(after: before, known) else { return .unavailable }
        guard case .edit(var edit, let base) = consume begun, let record = edit.content.record else { return .gone }
        let now = common.clock.now()
        let ran = edit.run(record, at: now, step: common.step, body)
        let answer = edit.commit(base, at: now, keys, in: common, by: deadline)
        switch finish(answer, edit, base, &woken, by: deadline) {
        case .done:
          switch consume ran {
          case .success(.some(let result)): return .done(result)
          case .success(.none): return .gone
          case .failure(let error): throw error
          }
        case .again: continue
        case .gone: return .gone
        case .unavailable: return .unavailable
        }
      }
      return .unavailable
    }
    return accessed ?? .unavailable
  }

  private enum Begin: ~Copyable {
    case edit(SessionCopy, SessionCopy.Base)
    case gone
  }

  /// A copy to be edited; nil: there is no memory for one.
  ///
  /// - Parameters:
  ///   - before: how many looks and edits had begun when it was asked for.
  ///   - known: a stamp that Redis was seen to have since then.
  private func begin(after before: UInt64, _ known: UInt64?) -> Begin? {
    state.withLock { state in
      state.usedAt = common.clock.machineTime
      do throws(StoreError) {
        guard let copy = try state.copy.copy(), var base = state.nextBase() else { return .gone }
        base.isNewest = state.seen > before || (known != nil && base.stamp == known)
        return .edit(copy, base)
      } catch {
        return nil
      }
    }
  }

  /// Runs `body` with the copy, as it is. Nil if the session is gone.
  package func read<R: ~Copyable>(_ body: (SessionAccess) -> R) -> R? {
    state.withLock { state in
      guard let record = state.copy.content.record else { return nil }
      let now = common.clock.now()
      if record.pointee.isOver(at: now) { return nil }
      return withUnsafeMutablePointer(to: &state.copy.content) {
        body(SessionAccess($0, record, now: now, step: common.step))
      }
    }
  }
}

extension SessionCopy {
  /// Runs `body` after the timers that are due; what is nil is over.
  fileprivate mutating func run<R: ~Copyable, E: Error>(
    _ record: UnsafeMutablePointer<Session>, at now: Instant, step: Int64, _ body: (inout SessionAccess) throws(E) -> R
  ) -> Result<R?, E> {
    withUnsafeMutablePointer(to: &content) { content in
      content.pointee.fireTimers(record, at: now, step: step)
      if record.pointee.isOver(at: now) { return .success(nil) }
      var access = SessionAccess(content, record, now: now, step: step)
      do throws(E) {
        return .success(try body(&access))
      } catch {
        return .failure(error)
      }
    }
  }
}
