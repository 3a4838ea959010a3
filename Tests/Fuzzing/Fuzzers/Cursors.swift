import Glibc
import PINEntry
import SessionStore

@testable import PINService

/// `Last-Event-ID`, `after`, and the cursor of several sessions.
enum Cursors {
  private static let store: MemorySessionStore = {
    do {
      // Time stands still, so that no session expires or is forgotten however long it is fuzzed.
      let start = Clock.system.now()
      let clock = Clock(now: { start }, seconds: Clock.system.seconds)
      return try MemorySessionStore(maximum: 8, memoryLock: .preferred, clock: clock) { _ in }
    } catch {
      fatalError("\(error)")
    }
  }()
  private static let service = PINService(
    ServiceSettings(), store: store, styles: StyleFiles.embedded(), log: Log { _ in true })
  /// One without an event, one with a few, one whose first are not kept any more, and one that is closed.
  private static let sessions = [0, 3, 300, -1].map { edits in
    do {
      let handle = try store.create(
        EntryOptions(), Presentation(label: "PIN", style: StyleFiles.embedded().standard.choice))
      _ = handle.access { access in
        let now = access.now
        for _ in 0..<max(edits, 0) {
          _ = try? access.apply { session throws(EditError) in try session.deleteBackward(at: now) }
        }
        if edits < 0 { _ = try? access.apply { session throws(EditError) in try session.cancel(at: now) } }
      }
      return handle
    } catch {
      fatalError("\(error)")
    }
  }

  static func run(_ input: UnsafeRawBufferPointer) {
    for session in sessions {
      _ = session.access { access in check(Cursor.resuming(input, in: access, Sight(access), isTrusted: false), access)
      }
    }
    for count in 2...sessions.count {
      let some = Array(sessions.prefix(count))
      guard case .done(let places) = SeveralSessions.places(input, some, some.map { _ in false }, service) else {
        fatalError("a session is gone")
      }
      precondition(places.count == count)
      for (session, place) in zip(some, places) { _ = session.access { access in check(place.cursor, access) } }
    }
  }

  /// All events from there on can be told.
  private static func check(_ cursor: Cursor, _ access: borrowing SessionAccess) {
    guard case .after(let id) = cursor else { return }
    let newest = access.session.eventID
    precondition(id <= newest)
    var next = id
    while next < newest {
      next += 1
      guard access.event(next) != nil else { fatalError("event \(next) can't be told") }
    }
  }
}
