import PINEntry
import SessionStore
import Synchronization
import Testing

@testable import PINService

@Suite("A grid of 100 ms")
struct WatchGridTests {
  private final class Clock: Sendable {
    let now = Atomic<Int64>(250)
    let points = Locked([Int64]())
  }

  private let clock = Clock()
  private let grid: WatchGrid
  private let session: SessionHandle

  init() throws {
    let clock = clock
    grid = WatchGrid(
      step: 100, clock: { clock.now.load(ordering: .relaxed) },
      onPoint: { point in clock.points.withLock { $0.append(point) } })
    let store = try MemorySessionStore(maximum: 10, memoryLock: .preferred) { _ in }
    let style = StyleChoice(name: "boxes", options: [])
    session = try store.create(EntryOptions(), Presentation(label: "PIN", style: style))
  }

  private var points: [Int64] { clock.points.withLock { $0 } }

  private func insert(elsewhere: Bool = false) {
    if !elsewhere { grid.willChange(session) }
    _ = session.access { (access: inout SessionAccess) in
      let now = access.now
      try? access.apply { session throws(EditError) in
        let digit: InlineArray<1, UInt8> = [UInt8(ascii: "7")]
        _ = try session.insert(digit.span, at: now)
      }
    }
  }

  private func sight() -> (newest: UInt64, count: UInt8)? {
    session.read { access in
      let sight = Sight(access, upTo: grid.newest(of: access))
      return (sight.newest, sight.snapshot(access).state.count)
    }
  }

  @Test func `shows a change when its point has come, and not before`() throws {
    #expect(try #require(sight()) == (0, 0))
    insert()
    #expect(points == [300])
    #expect(try #require(sight()) == (0, 0))
    #expect(grid.run(at: 299) == 300)
    #expect(try #require(sight()) == (0, 0))
    #expect(grid.run(at: 300) == .max)
    // An insert into an entry that was not active is two events.
    #expect(try #require(sight()) == (2, 1))
  }

  @Test func `shows all that happened since the last point at once`() throws {
    for _ in 0..<3 { insert() }
    #expect(points == [300])
    #expect(grid.run(at: 350) == .max)
    clock.now.store(350, ordering: .relaxed)
    #expect(try #require(sight()) == (4, 3))
    insert()
    #expect(points == [300, 400])
    #expect(try #require(sight()) == (4, 3))
    #expect(grid.run(at: 1000) == .max)
    #expect(try #require(sight()) == (5, 4))
  }

  @Test func `shows what another node changes once between two points`() throws {
    insert(elsewhere: true)
    #expect(try #require(sight()) == (2, 1))
    #expect(points == [300])
    for _ in 0..<2 {
      insert(elsewhere: true)
      #expect(try #require(sight()) == (2, 1))
    }
    #expect(grid.run(at: 300) == .max)
    #expect(try #require(sight()) == (4, 3))
  }

  @Test func `shows the same after a point that falls between a change's beginning and its end`() throws {
    grid.willChange(session)
    #expect(grid.run(at: 300) == .max)
    clock.now.store(300, ordering: .relaxed)
    #expect(try #require(sight()) == (0, 0))
    insert(elsewhere: true)
    #expect(try #require(sight()) == (0, 0))
    #expect(grid.run(at: 400) == .max)
    #expect(try #require(sight()) == (2, 1))
  }

  @Test func `has its points at multiples of its step`() {
    clock.now.store(300, ordering: .relaxed)
    insert()
    #expect(points == [400])
  }

  @Test func `wants nothing while nothing happens`() {
    #expect(grid.run(at: 10_000) == .max)
    #expect(points == [])
  }
}
