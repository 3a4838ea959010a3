internal import CSodium
package import PINEntry

/// Keeps sessions in a Redis that several nodes share.
package final class RedisSessionStore: SessionStore {
  private let common: RedisCommon
  private let copies: SessionCopies
  private let watch: RedisWatch
  private let thread: OwnThread
  private let subscriber: RedisSubscriber

  /// - Parameters:
  ///   - link: to the servers.
  ///   - ring: the keys that all nodes share.
  ///   - maximum: how many sessions that this node made there may be, closed ones that still answer among them.
  ///   - grid: ms between the points in time at which those who watch see what has happened; 0: at once. The same at all
  ///     nodes.
  ///   - copies: of how many sessions this process keeps copies while nobody uses them.
  ///   - comparison: of this node's keys with those of others, if it has begun.
  ///   - onTrouble: is told, for the log, what an operator has to look after; on any thread.
  package init(
    _ link: RedisLink, _ ring: KeyRing, maximum: Int, memoryLock: MemoryLock, grid: Int = 0, copies most: Int = 20_000,
    clock: RedisClock = RedisClock(), comparison: KeyComparison? = nil,
    onTrouble: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(StoreError) {
    Sodium.start()
    let common = RedisCommon(link, ring, clock, try Arena(memoryLock), maximum: maximum, step: Int64(grid), onTrouble)
    self.common = common
    let copies = SessionCopies(most: most)
    self.copies = copies
    let watch = RedisWatch(common, copies, comparison ?? KeyComparison(link, ring))
    self.watch = watch
    let subscriber = RedisSubscriber(link) { channel, message in
      guard let id = RedisKeys.session(ofChannel: channel) else { return }
      // What comes without the name of a writing may be about several.
      guard let message, message.count == 8 else { return common.watched.mark(id) }
      common.watched.wake(id, by: UInt64(littleEndian: message.loadUnaligned(as: UInt64.self)))
    }
    self.subscriber = subscriber
    common.watched.connect(subscriber)
    thread = OwnThread { watch.run() }
  }

  deinit {
    watch.stop()
    thread.join()
    common.watched.connect(nil)
  }

  package func now() -> Instant { common.clock.now() }

  package var tokens: TokenKey { common.ring.tokens }

  package var hashes: HashKey { common.ring.hashes }

  /// Whether all memory for digits could be locked.
  package var isMemoryLocked: Bool { common.arena.isLocked }

  package func create(
    _ options: EntryOptions, _ presentation: Presentation, by deadline: Deadline?
  ) throws(StoreError) -> SessionHandle {
    let deadline = deadline ?? common.link.deadline
    // Once more, should the clock have to be set right first.
    for _ in 0..<2 {
      if let session = try createOnce(options, presentation, by: deadline) {
        return .redis(RedisVisit(session, by: deadline))
      }
    }
    throw .unavailable
  }

  /// Nil: Redis's time is another than was believed; now it is known.
  private func createOnce(
    _ options: EntryOptions, _ presentation: Presentation, by deadline: Deadline
  ) throws(StoreError) -> RedisSession? {
    let now = common.clock.now()
    let (id, random) = SessionID.randomPair()
    let nonce = common.ring.tokens.named(random)
    let seconds = UInt32(truncatingIfNeeded: now.milliseconds / 1000)
    let end = now.adding(seconds: options.timeouts.total).adding(seconds: Session.retention)
    guard common.created.add(id, until: end, at: now) else { throw .full }
    var isMade = false
    defer { if !isMade { common.created.remove(id) } }
    let record = try common.arena.allocate()
    record.initialize(to: Session(id: id, nonce: nonce, options: options, at: now, on: seconds))
    var copy = SessionCopy(SessionContent(record, presentation), stamp: nil, eventStamp: 0, in: common.arena)
    let kept = record.pointee.kept
    switch copy.commit(.nothing, at: now, RedisKeys(id), in: common, by: deadline) {
    case .made:
      isMade = true
      return copies.add(RedisSession(copy, kept, in: common))
    case .late: return nil
    case .same, .gone, .other, nil: throw .unavailable
    }
  }

  package func createOnce<E: Error>(
    _ key: CreationKey, request: Hash128, _ create: (Deadline?) throws(E) -> Creation
  ) throws(E) -> CreatedOnce {
    try RedisCreations(common: common).once(key, request: request, by: common.link.deadline, create)
  }

  package func find(_ id: SessionID) throws(StoreError) -> SessionHandle? {
    let deadline = common.link.deadline
    if let known = known(id) { return .redis(RedisVisit(known, by: deadline)) }
    // What was loaded has digits.
    defer { Sodium.wipeStack() }
    let answer = SessionCopy.look(.nothing, RedisKeys(id), in: common, by: common.link.findingDeadline)
    return try found(id, answer, by: deadline)
  }

  package func find(_ ids: [SessionID]) throws(StoreError) -> [SessionHandle?] {
    let deadline = common.link.deadline
    defer { Sodium.wipeStack() }
    let finding = common.link.findingDeadline
    let asked = ids.map { id in
      let session = known(id)
      return (id: id, keys: RedisKeys(id), session: session, base: session?.nextBase() ?? .nothing)
    }
    let answers = common.lookTogether(asked.map { ($0.keys, $0.base) }, by: finding)
    return try zip(asked, answers).map { asked, answer throws(StoreError) -> SessionHandle? in
      // By itself, as it may have to be asked for elsewhere.
      let answer = answer ?? SessionCopy.look(asked.base, asked.keys, in: common, by: finding)
      guard let session = asked.session else { return try found(asked.id, answer, by: deadline) }
      guard let answer else { throw .unavailable }
      session.take(answer, askedFor: asked.base, by: deadline)
      if case .gone = answer { return nil }
      return .redis(RedisVisit(session, by: deadline, seen: answer.stamp(askedFor: asked.base)))
    }
  }

  /// The copy of a session that this process has.
  private func known(_ id: SessionID) -> RedisSession? {
    guard let known = copies.find(id) else { return nil }
    if known.status != nil { return known }
    // It was gone; whoever asks again is told what Redis says now.
    copies.remove(known)
    return nil
  }

  /// What Redis has of a session that there was no copy of.
  private func found(
    _ id: SessionID, _ answer: RedisAnswer?, by deadline: Deadline
  ) throws(StoreError) -> SessionHandle? {
    switch answer {
    case .gone: return nil
    case .other(let loaded):
      guard loaded.record.kept.id == id else { throw .unavailable }
      do throws(LoadingError) {
        let copy = try SessionCopy.load(loaded, at: common.clock.now(), in: common)
        let session = copies.add(RedisSession(copy, loaded.record.kept, in: common))
        return .redis(RedisVisit(session, by: deadline, seen: loaded.record.stamp))
      } catch {
        switch error {
        case .noMemory: throw .noMemory
        case .unreadable(let reason):
          common.couldNotRead(reason)
          throw .unavailable
        // Only what there is a copy of can have stepped back.
        case .steppedBack: throw .unavailable
        }
      }
    case .made, .same, .late, nil: throw .unavailable
    }
  }

  /// Nothing: the store's own thread does what is due.
  package func runTimers(at now: Instant) -> Instant { .never }

  /// Of the sessions that this process has a copy of.
  package func count(_ status: Status) -> Int { copies.count(status, at: common.clock.now()) }

  package func check() throws(StoreError) {
    do throws(RedisError) { try common.link.check() } catch { throw .unavailable }
  }

  package var figures: StoreFigures? { common.counts.figures }
}
