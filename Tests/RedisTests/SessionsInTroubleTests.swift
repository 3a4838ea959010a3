import PINEntry
import SessionStore
import Testing

/// What the sessions in a Redis do where some of it does not work.
@Suite(.timeLimit(.minutes(5))) struct SessionsInTroubleTests {
  @Test func `sessions that can't be read keep no others from being heard of`() throws {
    let server = try RedisServer(.tcp)
    // This one hears no wake-ups: it has to look.
    #expect(
      try server.link().send("ACL", "SETUSER", "deaf", "on", ">secret", "~*", "+@all", "resetchannels") == .text("OK"))
    let writer = try store(server.link())
    let deaf = try store(RedisLink(RedisAddress("redis://deaf:secret@\(server.endpoint)"), milliseconds: 10_000))
    let sessions = try (0..<24).map { _ in try create(in: writer) }
    let watched = try sessions.map { try #require(try deaf.find($0.id)) }
    let watchers = watched.map { session in
      let watcher = Watcher()
      #expect(session.watch(watcher, limit: 1))
      return watcher
    }
    defer { for (session, watcher) in zip(watched, watchers) { session.unwatch(watcher) } }
    for session in sessions[..<6] {
      #expect(try server.link().send("SET", "pinpad:{\(session.id.text)}:record", "of a newer program") == .text("OK"))
    }
    for session in sessions[6...] { try insert("1", session) }
    try waitUntil { watchers[6...].allSatisfy { $0.wakes > 0 } }
    #expect(watchers[..<6].allSatisfy { $0.wakes == 0 })
  }

  @Test func `a timer that Redis refused is run when it refuses no more`() throws {
    let server = try RedisServer()
    let store = try store(server.link())
    let session = try create(in: store, EntryOptions(timeouts: Timeouts(total: 1)))
    let watcher = Watcher()
    #expect(session.watch(watcher, limit: 1))
    defer { session.unwatch(watcher) }
    #expect(try server.link().send("CONFIG", "SET", "min-replicas-to-write", "1") == .text("OK"))
    try waitUntil { store.figures?.failures ?? 0 > 0 }
    #expect(watcher.wakes == 0)
    #expect(try server.link().send("CONFIG", "SET", "min-replicas-to-write", "0") == .text("OK"))
    try waitUntil { watcher.wakes > 0 }
    #expect(session.read { $0.session.status } == .expired)
  }

  @Test func `a session whose time is over expires in a Redis that is full`() throws {
    let server = try RedisServer()
    let store = try store(server.link())
    let session = try create(in: store, EntryOptions(timeouts: Timeouts(total: 1)))
    let watcher = Watcher()
    #expect(session.watch(watcher, limit: 1))
    defer { session.unwatch(watcher) }
    #expect(try server.link().send("CONFIG", "SET", "maxmemory", "1") == .text("OK"))
    #expect(throws: StoreError.unavailable) { try insert("1", session) }
    try waitUntil { watcher.wakes > 0 }
    #expect(session.read { $0.session.status } == .expired)
  }

  @Test func `a session whose time is over counts as expired, though nobody asks for it`() throws {
    let server = try RedisServer()
    let store = try store(server.link())
    let session = try create(in: store, EntryOptions(timeouts: Timeouts(total: 1)))
    try waitUntil { store.count(.expired) == 1 }
    #expect(store.count(.open) == 0)
    #expect(session.read { $0.session.status } == .open)
  }

  @Test func `what Redis refuses the log is told once, and not by each request`() throws {
    let server = try RedisServer()
    let lines = Lines()
    let store = try store(server.link { lines.add($0) })
    #expect(try server.link().send("CONFIG", "SET", "maxmemory", "1") == .text("OK"))
    for _ in 0..<3 { #expect(throws: StoreError.unavailable) { try create(in: store) } }
    #expect(lines.all.count { $0.contains("redis refuses: OOM ") } == 1)
  }

  @Test func `no more copies than the maximum are kept of sessions that nobody uses`() throws {
    let server = try RedisServer()
    let store = try store(server.link(), copies: 64)
    let used = try (0..<100).map { _ in try create(in: store) }
    for _ in 0..<1000 { _ = try create(in: store) }
    // One in each of 64 parts, besides those in use.
    #expect(store.count(.open) <= 164)
    #expect(try used.allSatisfy { try store.find($0.id) != nil })
  }

  @Test(arguments: [["DEL"], ["XTRIM", "MAXLEN", "1"], ["XDEL", "2-0"], ["XDEL", "3-0"]])
  func `a session is read with its newest events and without gaps, or not at all`(damage: [String]) throws {
    let server = try RedisServer()
    let writer = try store(server.link())
    let session = try create(in: writer)
    for digit in ["1", "2"] { try insert(digit, session) }
    #expect(session.read { $0.session.eventID } == 3)
    let key = "pinpad:{\(session.id.text)}:events"
    let command = ([damage[0], key] + damage.dropFirst()).map { RedisArgument.text($0) }
    _ = try server.link().command(command, at: RedisSlot(key: key))
    let other = try store(server.link())
    if damage[0] == "XTRIM" {
      let found = try #require(try other.find(session.id))
      #expect(found.read { $0.firstEventID } == 3)
    } else {
      #expect(throws: StoreError.unavailable) { try other.find(session.id) }
    }
  }

  @Test func `of two creations with one key the one that is taken back makes room again`() throws {
    let server = try RedisServer()
    let (one, other) = (try store(server.link(), maximum: 1), try store(server.link(), maximum: 1))
    let hashes = HashKey()
    let key = Array("key".utf8).withUnsafeBytes { CreationKey(owner: hashes.hash($0), key: hashes.hash($0)) }
    let request = Array("{}".utf8).withUnsafeBytes { hashes.hash($0) }
    func creation(in store: RedisSessionStore) throws -> Creation {
      let session = try create(in: store)
      let configuration = SessionConfiguration(options: EntryOptions(), presentation: presentation)
      return Creation(id: session.id, nonce: session.nonce, createdOn: session.createdOn, configuration: configuration)
    }
    _ = try one.createOnce(key, request: request) { _ in
      _ = try other.createOnce(key, request: request) { _ in try creation(in: other) }
      return try creation(in: one)
    }
    // The other's is kept, and the room for it used up.
    #expect(throws: StoreError.full) { try create(in: other) }
    _ = try create(in: one)
  }
}

private let presentation = Presentation(label: "PIN", style: StyleChoice(name: "boxes", options: []))

private func store(_ link: RedisLink, maximum: Int = 100_000, copies: Int = 20_000) throws -> RedisSessionStore {
  let key = Array(String(repeating: "5a", count: 32).utf8)
  return try RedisSessionStore(
    link, KeyRing(key.span.bytes), maximum: maximum, memoryLock: .preferred, copies: copies)
}

@discardableResult private func create(
  in store: RedisSessionStore, _ options: EntryOptions = EntryOptions()
) throws -> SessionHandle {
  try store.create(options, presentation)
}

private func insert(_ text: String, _ session: SessionHandle) throws {
  let done = try session.access { access throws(EditError) in
    let now = access.now
    return try access.apply { session throws(EditError) in
      _ = try session.insert(Array(text.utf8).span, if: Precondition(count: nil), at: now)
    }
  }
  guard case .done = done else { throw StoreError.unavailable }
}

/// Counts how often it was told.
private final class Watcher: SessionWatcher {
  private let count = Locked(0)

  var wakes: Int { count.withLock { $0 } }

  func wake() { count.withLock { $0 += 1 } }
}
