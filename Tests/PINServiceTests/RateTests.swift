import PINEntry
import SessionStore
import TestSupport
import Testing

@testable import PINService

@Suite struct `A rate` {
  static let second: Int64 = 1_000_000
  static let rate = Rate(name: "things", perMinute: 6)

  static func key(_ number: UInt64) -> Hash128 {
    let hashing = HashKey()
    return withUnsafeBytes(of: number) { hashing.hash($0) }
  }

  @Test func `grants as many at once as come in a minute, and then one by one`() {
    let (table, key) = (RateTable(), Self.key(1))
    let start = 1000 * Self.second
    let first = (0..<6).map { _ in table.take(key, Self.rate, at: start) }
    #expect(first.map(\.isGranted) == [true, true, true, true, true, true])
    #expect(first.map(\.remaining) == [5, 4, 3, 2, 1, 0])
    #expect(first.map(\.resetSeconds) == [10, 20, 30, 40, 50, 60])
    let refused = table.take(key, Self.rate, at: start + Self.second)
    #expect(!refused.isGranted && refused.remaining == 0 && refused.retrySeconds == 9 && refused.resetSeconds == 59)
    #expect(!table.take(key, Self.rate, at: start + 9 * Self.second).isGranted)
    #expect(table.take(key, Self.rate, at: start + 10 * Self.second).isGranted)
    let again = table.take(key, Self.rate, at: start + 10 * Self.second)
    #expect(!again.isGranted && again.retrySeconds == 10)
    // What is refused takes nothing: after a minute all is there again.
    #expect(table.take(key, Self.rate, at: start + 80 * Self.second).remaining == 5)
  }

  @Test func `counts each key for itself`() {
    let table = RateTable()
    let (one, two) = (Self.key(1), Self.key(2))
    for _ in 0..<6 { #expect(table.take(one, Self.rate, at: Self.second).isGranted) }
    #expect(!table.take(one, Self.rate, at: Self.second).isGranted)
    #expect(table.take(two, Self.rate, at: Self.second).remaining == 5)
  }

  @Test func `keeps no more keys than fit, and forgets those that have used the least`() {
    let table = RateTable(sets: 1)
    let (busy, start) = (Self.key(1), 1000 * Self.second)
    for _ in 0..<6 { #expect(table.take(busy, Self.rate, at: start).isGranted) }
    // Ten times as many keys as there are places, each once.
    for number: UInt64 in 2..<82 { #expect(table.take(Self.key(number), Self.rate, at: start).remaining == 5) }
    #expect(!table.take(busy, Self.rate, at: start).isGranted)
  }

  @Test func `never grants more than its share, whenever it is asked`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = Seeded(state: seed)
    let (table, key) = (RateTable(), Self.key(1))
    var (now, granted): (Int64, [Int64]) = (1000 * Self.second, [])
    for _ in 0..<5000 {
      now += Int64.random(in: 0...4 * Self.second, using: &random)
      let verdict = table.take(key, Self.rate, at: now)
      #expect((0...5).contains(verdict.remaining) && (0...60).contains(verdict.resetSeconds), "seed \(seed)")
      if verdict.isGranted { granted.append(now) }
      // A full bucket, and what comes in a minute.
      #expect(granted.count { $0 > now - 60 * Self.second } <= 12, "seed \(seed)")
      if !verdict.isGranted {
        #expect(verdict.remaining == 0 && (1...10).contains(verdict.retrySeconds), "seed \(seed)")
      }
    }
    #expect(granted.count >= Int((now - 1000 * Self.second) / (10 * Self.second)) - 1, "seed \(seed)")
  }
}

/// SplitMix64.
private struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
