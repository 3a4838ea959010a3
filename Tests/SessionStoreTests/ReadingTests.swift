import PINEntry
import SessionStore
import Testing

@Suite("A read")
struct ReadingTests {
  @Test func `leaves timers that are due to the wheel, so that no watcher makes events`() throws {
    let store = try TestStore()
    let session = try store.create(EntryOptions(timeouts: Timeouts(total: 1)))
    store.time.move(seconds: 5)
    #expect(session.read { $0.session.status } == .open)
    store.wait(milliseconds: 100)
    #expect(session.read { $0.session.status } == .expired)
  }

  @Test func `of a session that is gone gives nothing`() throws {
    let store = try TestStore()
    let session = try store.create(EntryOptions(timeouts: Timeouts(total: 1)))
    store.wait(seconds: 302)
    #expect(session.read { $0.session.status } == nil)
  }
}
