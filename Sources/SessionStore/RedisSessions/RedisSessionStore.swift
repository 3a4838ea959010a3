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
  ///   - copies: of how many sessions this process keeps copies while nobody uses them.
  package init(
    _ link: RedisLink, _ ring: KeyRing, maximum: Int, memoryLock: MemoryLock, copies most: Int = 20_000,
    clock: RedisClock = RedisClock()
  ) throws(StoreError) {
    Sodium.start()
    let common = RedisCommon(link, ring, clock, try Arena(memoryLock), maximum: maximum)
    self.common = common
    let copies = SessionCopies(most: most)
    self.copies = copies
    let watch = RedisWatch(common, copies)
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

  package var tokens: TokenKey { common.ring.tokens }

  package var hashes: HashKey { common.ring.hashes }

  /// Whether all memory for digits could be locked.
  package var isMemoryLocked: Bool { common.arena.isLocked }

  package func create(_ options: EntryOptions, _ presentation: Presentation) throws(StoreError) -> SessionHandle {
    // Once more, should the clock have to be set right first.
    for _ in 0..<2 {
      if let session = try createOnce(options, presentation) { return .redis(session) }
    }
    throw .unavailable
  }

  /// Nil: Redis's time is another than was believed; now it is known.
  private func createOnce(_ options: EntryOptions, _ presentation: Presentation) throws(StoreError) -> RedisSession? {
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
    let base = SessionCopy.Base(stamp: nil, eventID: 0, changedAt: 0, rememberedCount: 0)
    switch copy.commit(base, at: now, RedisKeys(id), in: common) {
    case .made:
      isMade = true
      return copies.add(RedisSession(copy, kept, in: common))
    case .late: return nil
    case .same, .gone, .other, nil: throw .unavailable
    }
  }

  package func createOnce<E: Error>(
    _ key: CreationKey, request: Hash128, _ create: () throws(E) -> Creation
  ) throws(E) -> CreatedOnce {
    try RedisCreations(common: common).once(key, request: request, create)
  }

  package func find(_ id: SessionID) throws(StoreError) -> SessionHandle? {
    if let known = copies.find(id) {
      if known.status != nil { return .redis(known) }
      // It was gone; whoever asks again is told what Redis says now.
      copies.remove(known)
    }
    let base = SessionCopy.Base(stamp: nil, eventID: 0, changedAt: 0, rememberedCount: 0)
    switch SessionCopy.look(base, RedisKeys(id), in: common) {
    case .gone: return nil
    case .other(let loaded):
      guard loaded.record.kept.id == id else { throw .unavailable }
      do throws(LoadingError) {
        let copy = try SessionCopy.load(loaded, at: common.clock.now(), in: common)
        return .redis(copies.add(RedisSession(copy, loaded.record.kept, in: common)))
      } catch {
        switch error {
        case .noMemory: throw .noMemory
        case .unreadable, .steppedBack:
          common.counts.couldNotRead()
          throw .unavailable
        }
      }
    case .made, .same, .late, nil: throw .unavailable
    }
  }

  /// Nothing: the store's own thread does what is due.
  package func runTimers(at now: Instant) -> Instant { .never }

  /// Of the sessions that this process has a copy of.
  package func count(_ status: Status) -> Int { copies.count(status) }

  package func check() throws(StoreError) {
    do throws(RedisError) { try common.link.ping() } catch { throw .unavailable }
  }

  package var figures: StoreFigures? { common.counts.figures }
}
