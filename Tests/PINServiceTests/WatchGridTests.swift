import PINEntry
import SessionStore
import Synchronization
import Testing

@testable import PINService

@Suite("A grid of 100 ms")
struct WatchGridTests {
  private final class Waiter: GridWaiter {
    let points = Atomic<Int>(0)

    func pointHasCome() { points.add(1, ordering: .relaxed) }
  }

  private let clock = Locked(Instant(milliseconds: 250))
  private let delays = Locked<[Int64]>([])
  private let waiter = Waiter()
  private let grid: WatchGrid

  init() {
    let (clock, delays) = (clock, delays)
    grid = WatchGrid(
      step: 100, clock: { clock.withLock { $0 } }, onPoint: { delay in delays.withLock { $0.append(delay) } })
  }

  private func move(to time: Int64) { clock.withLock { $0 = Instant(milliseconds: time) } }

  private var told: Int { waiter.points.load(ordering: .relaxed) }

  @Test func `tells who waits when the next multiple of its step has come, and not before`() {
    grid.add(waiter)
    #expect(delays.withLock { $0 } == [50])
    move(to: 299)
    #expect(grid.run(at: 299) == 300)
    #expect(told == 0)
    move(to: 300)
    #expect(grid.run(at: 300) == .max)
    #expect(told == 1)
    #expect(grid.run(at: 400) == .max)
    #expect(told == 1)
  }

  @Test func `goes by the store's clock, of which the machine's may be another`() {
    grid.add(waiter)
    #expect(grid.run(at: 7_000_000) == 7_000_050)
    move(to: 290)
    #expect(grid.run(at: 7_000_050) == 7_000_060)
    move(to: 301)
    #expect(grid.run(at: 7_000_061) == .max)
    #expect(told == 1)
  }

  @Test func `has one who comes at a point wait for the next`() {
    move(to: 300)
    grid.add(waiter)
    grid.add(waiter)
    #expect(delays.withLock { $0 } == [100])
    #expect(grid.run(at: 300) == 400)
    move(to: 1000)
    #expect(grid.run(at: 1000) == .max)
    #expect(told == 2)
  }

  @Test func `wants nothing while nothing happens`() {
    #expect(grid.run(at: 10_000) == .max)
    #expect(delays.withLock { $0 } == [])
  }
}
