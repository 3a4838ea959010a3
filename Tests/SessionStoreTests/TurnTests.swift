import TestSupport
import Testing

@testable import SessionStore

struct TurnTests {
  @Test func `who can't have its turn in time does not wait for longer, and the next one has it`() {
    let turn = Turn()
    let refused: Bool? = turn.take(by: .never) {
      turn.take(by: .after(milliseconds: 20)) { true } == nil
    }
    #expect(refused == true)
    #expect(turn.take(by: .after(milliseconds: 0)) { true } == true)
  }

  @Test func `of many threads each has its turn alone`() {
    let turn = Turn()
    let inside = Locked((now: 0, most: 0, sum: 0))
    inParallel(threads: 8) { _ in
      for _ in 0..<500 {
        _ = turn.take(by: .never) {
          inside.withLock { inside in
            inside.now += 1
            inside.most = max(inside.most, inside.now)
          }
          inside.withLock { inside in
            inside.now -= 1
            inside.sum += 1
          }
        }
      }
    }
    #expect(inside.withLock { $0.most } == 1)
    #expect(inside.withLock { $0.sum } == 4000)
  }
}
