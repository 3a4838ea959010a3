import PINEntry
import SessionStore
import Synchronization
import TestSupport
import Testing

/// Many threads at once on few sessions; ThreadSanitizer sees what the expectations don't.
@Suite struct ThreadsTests {
  private let options = EntryOptions(length: 4, maxAttempts: 3, timeouts: Timeouts(total: 5, interDigit: 2))
  private let presentation = Presentation(label: "PIN", style: StyleChoice(name: "boxes", options: []))

  @Test func `eight threads and the timers leave every log whole and every count right`() throws {
    let seed = UInt64.random(in: .min ... .max)
    let time = Time()
    let store = try MemorySessionStore(maximum: 200, memoryLock: .preferred, clock: time.clock) { _ in }
    let ids = Locked<[SessionID]>([])
    let created = Atomic<Int>(0)
    inParallel(threads: 9) { thread in
      var random = Random(seed &+ UInt64(thread))
      for _ in 0..<2000 {
        if thread == 8 {
          time.pass(milliseconds: 7)
          _ = store.runTimers(at: time.clock.now())
          continue
        }
        if random.next() % 8 == 0, let session = try? store.create(options, presentation) {
          created.add(1, ordering: .relaxed)
          ids.withLock { $0.append(session.id) }
        }
        let id = ids.withLock { $0.isEmpty ? nil : $0[Int(random.next() % UInt64($0.count))] }
        guard let id, let session = store.find(id) else { continue }
        edit(session, &random)
      }
    }
    var found: [Status: Int] = [:]
    for id in ids.withLock({ $0 }) {
      guard let session = store.find(id) else { continue }
      let status = session.use { access in
        checkLog(access, seed)
        return access.session.status
      }
      if let status { found[status, default: 0] += 1 }
    }
    for status in Status.allCases { #expect(store.count(status) == found[status, default: 0], "seed \(seed)") }
    #expect(created.load(ordering: .relaxed) > 100)
    // An hour later all is gone, and there is room for as many as before.
    time.pass(milliseconds: 3_600_000)
    while store.runTimers(at: time.clock.now()) != .never {}
    for status in Status.allCases { #expect(store.count(status) == 0) }
    for _ in 0..<200 { _ = try store.create(options, presentation) }
    #expect(throws: StoreError.full) { try store.create(options, presentation) }
  }

  @Test func `a watcher is woken after each edit, whoever makes it`() throws {
    let store = try MemorySessionStore(maximum: 10, memoryLock: .preferred) { _ in }
    let session = try store.create(EntryOptions(), presentation)
    let watcher = Reader(session)
    #expect(session.watch(watcher, limit: 1))
    defer { session.unwatch(watcher) }
    inParallel(threads: 8) { _ in
      for _ in 0..<500 {
        _ = session.use { access in
          let now = access.now
          try? access.apply { session throws(EditError) in try session.deleteBackward(at: now) }
        }
      }
    }
    #expect(session.use { access in access.session.eventID } == 4000)
    #expect(watcher.newest.withLock { $0 } == 4000)
  }

  @Test func `of fifty redeems at once one gets the text`() throws {
    let store = try MemorySessionStore(maximum: 10, memoryLock: .preferred) { _ in }
    let session = try store.create(EntryOptions(length: 4), presentation)
    let digits: [UInt8] = Array("0123".utf8)
    let taken = session.use { access in
      let now = access.now
      return try? access.apply { session throws(EditError) in try session.set(digits.span, at: now).accepted }
    }
    #expect(taken == 4)
    let texts = Locked<[String]>([])
    inParallel(threads: 50) { _ in
      var text = ""
      _ = session.use { access in
        let now = access.now
        try? access.apply { session throws(EditError) in
          try session.redeem(hold: false, at: now) { $0.forEachCharacter { text.unicodeScalars.append(.init($0)) } }
        }
      }
      if !text.isEmpty { texts.withLock { $0.append(text) } }
    }
    #expect(texts.withLock { $0 } == ["0123"])
    #expect(store.count(.redeemed) == 1)
  }

  @Test func `of fifty creations at once with one key all get the same session`() throws {
    let store = try MemorySessionStore(maximum: 10, memoryLock: .preferred) { _ in }
    let memory = CreationMemory(clock: .system)
    let hash = HashKey().hash(UnsafeRawBufferPointer(start: nil, count: 0))
    let key = CreationKey(owner: hash, key: hash)
    let ids = Locked<[SessionID]>([])
    let replays = Atomic<Int>(0)
    inParallel(threads: 50) { _ in
      let creation = try? memory.once(key, request: hash) { () throws(StoreError) in
        let session = try store.create(options, presentation)
        return Creation(
          id: session.id, nonce: session.nonce, createdOn: session.createdOn,
          configuration: SessionConfiguration(options: options, presentation: presentation))
      }
      guard let creation else { return }
      ids.withLock { $0.append(creation.id) }
      if creation.isReplay { replays.add(1, ordering: .relaxed) }
    }
    #expect(ids.withLock { $0.count } == 50)
    #expect(Set(ids.withLock { $0 }).count == 1)
    #expect(replays.load(ordering: .relaxed) == 49)
    #expect(store.count(.open) == 1)
  }

  private func edit(_ session: SessionHandle, _ random: inout Random) {
    let kind = random.next() % 16
    let digit: [UInt8] = [0x30 + UInt8(random.next() % 10)]
    _ = session.use { access in
      let now = access.now
      let message = kind == 12 ? "wrong" : nil
      try? access.apply(message: message) { session throws(EditError) in
        switch kind {
        case 0...6: _ = try session.insert(digit.span, at: now)
        case 7, 8: try session.deleteBackward(at: now)
        case 9: try session.end(at: now)
        case 10, 11: try session.redeem(hold: true, at: now) { _ in }
        case 12: try session.reject(at: now)
        case 13: try session.clear(at: now)
        case 14: try session.accept(at: now)
        default: try session.begin(at: now)
        }
      }
    }
  }

  /// Every event from the first kept one on is there, and the revisions go up one by one.
  private func checkLog(_ access: SessionAccess, _ seed: UInt64) {
    let newest = access.session.eventID
    guard newest > 0 else { return }
    #expect(newest + 1 - access.firstEventID == min(newest, 256), "seed \(seed)")
    var revision = access.event(access.firstEventID)?.state.revision ?? 0
    for id in access.firstEventID...newest {
      guard let event = access.event(id) else {
        Issue.record("event \(id) is missing, seed \(seed)")
        return
      }
      #expect(event.state.revision == revision || event.state.revision == revision + 1, "seed \(seed)")
      revision = event.state.revision
    }
    #expect(revision == access.session.revision, "seed \(seed)")
  }

  /// Reads on when it is woken, as a stream does.
  private final class Reader: SessionWatcher {
    let newest = Locked<UInt64>(0)
    private let session: SessionHandle

    init(_ session: SessionHandle) { self.session = session }

    func wake() {
      newest.withLock { newest in newest = session.use { access in access.session.eventID } ?? newest }
    }
  }

  /// A clock that moves when it is told to.
  private final class Time: Sendable {
    private let milliseconds = Atomic<Int64>(1_000_000)

    func pass(milliseconds more: Int64) { milliseconds.add(more, ordering: .sequentiallyConsistent) }

    var clock: Clock {
      Clock(
        now: { [self] in Instant(milliseconds: milliseconds.load(ordering: .sequentiallyConsistent)) }, seconds: { 0 })
    }
  }
}
