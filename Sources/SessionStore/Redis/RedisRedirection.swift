/// Where a cluster says that a slot is: `MOVED 3999 127.0.0.1:6381` or `ASK …` (Redis cluster specification).
struct RedisRedirection: Equatable, Sendable {
  let slot: RedisSlot
  let endpoint: RedisEndpoint

  /// - Parameter asked: who said it; a host that it leaves out is its own.
  init?(_ failure: RedisFailure, from asked: RedisEndpoint) {
    guard failure.kind == .moved || failure.kind == .ask else { return nil }
    let words = failure.text.split(separator: " ")
    // An IPv6 address has colons too, and no brackets.
    guard words.count >= 3, let slot = UInt16(words[1]), let colon = words[2].lastIndex(of: ":"),
      let port = UInt16(words[2][words[2].index(after: colon)...])
    else { return nil }
    self.slot = RedisSlot(slot)
    endpoint = .tcp(host: Self.host(words[2][..<colon], asked), port: port)
  }

  /// A host as a cluster names it; empty or `?` means that of who was asked.
  static func host(_ text: Substring, _ asked: RedisEndpoint) -> String {
    guard text.isEmpty || text == "?" else { return String(text) }
    switch asked {
    case .tcp(let host, _): return host
    case .unix: return "127.0.0.1"
    }
  }
}
