import Testing

@testable import SessionStore

struct NodeKeysTests {
  @Test(arguments: [
    (own: "a", living: [], past: [], differences: [] as [KeyDifference]),
    ("a", ["a"], ["a"], []),
    ("a,b", ["a"], ["a,b"], []),
    ("a,b", ["b,a", "a,b"], [], []),
    ("b", ["a"], [], [.opensNothing, .isNotOpened]),
    ("b", [], ["a", "c"], [.opensNothing]),
    ("b", [], ["a", "b,a"], [.opensSome]),
    ("b,a", ["a"], [], [.isNotOpened]),
    ("a", ["b,a"], ["a"], [.opensSome]),
    ("b,a", [], ["a"], []),
  ])
  func `what others have tells what can't be opened`(
    own: String, living: [String], past: [String], differences: [KeyDifference]
  ) throws {
    let keys = try #require(NodeKeys(own))
    #expect(
      keys.differences(living: living.compactMap { NodeKeys($0) }, past: past.compactMap { NodeKeys($0) })
        == differences)
  }

  @Test(arguments: [
    // What is left when somebody starts may be of one that has ended.
    (at: 999_000, isLiving: false, isPast: true),
    (1_000_000, false, true),
    (1_001_000, true, true),
    (1_200_000, true, true),
  ])
  func `a node is there if it has said so since another has started`(at: Int64, isLiving: Bool, isPast: Bool) throws {
    let keys = try #require(NodeKeys("a"))
    let seen = RedisKeyNames.Seen(time: 1_200_000 - 60_000, left: [RedisKeyNames.Seen.Left(keys: keys, at: at)])
    #expect(seen.living(since: 1_000_000) == (isLiving ? [keys] : []))
    #expect(seen.past == (isPast ? [keys] : []))
  }

  @Test func `a node is gone three minutes after it was heard of, and its sessions a day after`() throws {
    let keys = try #require(NodeKeys("a"))
    func seen(after time: Int64) -> RedisKeyNames.Seen {
      RedisKeyNames.Seen(time: 5000 + time, left: [RedisKeyNames.Seen.Left(keys: keys, at: 5000)])
    }
    #expect(seen(after: 179_000).living(since: 0) == [keys])
    #expect(seen(after: 180_000).living(since: 0) == [])
    #expect(seen(after: 86_399_000).past == [keys])
    #expect(seen(after: 86_400_000).past == [])
  }

  @Test func `a ring's names are those of its keys, and not a part of them`() throws {
    let lines = [String(repeating: "5a", count: 32), String(repeating: "c3", count: 32)]
    let ring = try KeyRing(Array(lines.joined(separator: "\n").utf8).span.bytes)
    let keys = NodeKeys(ring)
    #expect(keys.names.count == 2)
    #expect(NodeKeys(keys.text) == keys)
    #expect(!keys.text.contains("5a5a") && !keys.text.contains("c3c3"))
  }

  @Test(arguments: ["", "a,", "g", "a b", "11112222333344445"]) func `what is no list of names is none`(text: String) {
    #expect(NodeKeys(text) == nil)
  }
}
