import SessionStore
import Testing

@Suite struct SlotTests {
  /// As CLUSTER KEYSLOT has them.
  @Test(arguments: [
    ("123456789", 12739), ("", 0), ("foo", 12182), ("bar", 5061), ("{foo}", 12182), ("{foo}{bar}", 12182),
    ("a{foo}b", 12182), ("{}foo", 9500), ("foo{}{bar}", 8363), ("foo{{bar}}zap", 4015), ("foo{bar", 15278),
  ])
  func `a key's slot is that of its hash tag, if it has one`(_ key: String, _ slot: UInt16) {
    #expect(RedisSlot(key: key).number == slot)
  }
}
