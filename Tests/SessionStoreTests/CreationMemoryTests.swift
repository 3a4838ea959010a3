import PINEntry
import SessionStore
import TestSupport
import Testing

/// What is remembered of creations for retries.
@Suite struct CreationMemoryTests {
  private let time = FakeClock()
  private let hashes = HashKey()

  @Test func `the same key and request give the same session, and create nothing`() throws {
    let memory = CreationMemory(clock: time.clock)
    let first = try #require(once(memory, "k", "{}", creation(1)))
    #expect(!first.isReplay)
    let second = try #require(once(memory, "k", "{}", creation(2)))
    #expect(second.isReplay)
    #expect(second.id == first.id && second.nonce == first.nonce && second.createdOn == first.createdOn)
  }

  @Test func `the same key with another request is refused`() {
    let memory = CreationMemory(clock: time.clock)
    _ = once(memory, "k", "{}", creation(1))
    #expect(once(memory, "k", "{ }", creation(2)) == nil)
    #expect(once(memory, "k", "{}", creation(3))?.id.low == 1)
  }

  @Test func `the same key of another owner is another key`() {
    let memory = CreationMemory(clock: time.clock)
    _ = once(memory, "k", "{}", creation(1))
    #expect(once(memory, "k", "{}", creation(2), owner: "other")?.id.low == 2)
  }

  @Test func `a key is remembered for 10 minutes at most`() {
    let memory = CreationMemory(clock: time.clock)
    _ = once(memory, "k", "{}", creation(1))
    time.move(milliseconds: 599_999)
    #expect(once(memory, "k", "{}", creation(2))?.id.low == 1)
    time.move(milliseconds: 1)
    #expect(once(memory, "k", "{}", creation(3))?.id.low == 3)
    #expect(once(memory, "k", "other", creation(4)) == nil)
    time.move(milliseconds: 599_999)
    #expect(once(memory, "k", "{}", creation(5))?.id.low == 3)
  }

  @Test func `a creation that fails is not remembered`() {
    struct Failure: Error {}
    let memory = CreationMemory(clock: time.clock)
    #expect(throws: Failure.self) { try memory.once(key("k"), request: hash("{}", hashes)) { throw Failure() } }
    #expect(once(memory, "k", "other", creation(1))?.isReplay == false)
  }

  @Test func `no more than the maximum are remembered, the newest`() {
    let memory = CreationMemory(clock: time.clock, maximum: 3)
    for number in UInt64(1)...4 { _ = once(memory, "\(number)", "{}", creation(number)) }
    for number in UInt64(2)...4 { #expect(once(memory, "\(number)", "{}", creation(9))?.id.low == number) }
    #expect(once(memory, "1", "{}", creation(5))?.isReplay == false)
  }

  @Test func `keys are forgotten one by one, however many there were`() {
    let memory = CreationMemory(clock: time.clock, maximum: 1000)
    for number in UInt64(0)..<5000 {
      time.move(seconds: 1)
      #expect(once(memory, "\(number)", "{}", creation(number))?.isReplay == false)
      if number >= 599 { #expect(once(memory, "\(number - 599)", "{}", creation(0))?.id.low == number - 599) }
    }
    #expect(once(memory, "4399", "{}", creation(1))?.isReplay == false)
    #expect(once(memory, "4401", "{}", creation(1))?.isReplay == true)
  }

  @Test func `of many at once with one key one creates, and all get the same`() {
    let memory = CreationMemory(clock: Clock.system)
    let created = Locked(0)
    let ids = Locked<Set<SessionID>>([])
    inParallel(threads: 8) { thread in
      for number in 0..<200 {
        let given = memory.once(key("\(number)"), request: hash("{}", hashes)) {
          created.withLock { $0 += 1 }
          return creation(UInt64(number * 8 + thread))
        }
        if let given { _ = ids.withLock { $0.insert(given.id) } }
      }
    }
    #expect(created.withLock { $0 } == 200)
    #expect(ids.withLock { $0.count } == 200)
  }

  private func key(_ key: String, owner: String = "owner") -> CreationKey {
    CreationKey(owner: hash(owner, hashes), key: hash(key, hashes))
  }

  private func once(
    _ memory: CreationMemory, _ key: String, _ request: String, _ creation: Creation, owner: String = "owner"
  ) -> Creation? {
    memory.once(self.key(key, owner: owner), request: hash(request, hashes)) { creation }
  }

  private func creation(_ number: UInt64) -> Creation {
    Creation(
      id: SessionID(high: 0, low: number), nonce: SessionID(high: 1, low: number), createdOn: UInt32(number),
      configuration: SessionConfiguration(options: EntryOptions(), presentation: presentation))
  }
}
