/// Growing times between tries, each up to half shorter by chance: so that nodes of ours that lost Redis together don't
/// come back together.
struct Backoff {
  private let most: Int
  private var longest = 25

  /// - Parameter most: how long it may get, in milliseconds.
  init(most: Int) { self.most = most }

  /// The next one, in milliseconds.
  mutating func next() -> Int {
    defer { longest = min(most, longest * 2) }
    return Int.random(in: longest / 2...longest)
  }
}
