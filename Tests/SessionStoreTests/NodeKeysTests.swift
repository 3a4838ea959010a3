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
