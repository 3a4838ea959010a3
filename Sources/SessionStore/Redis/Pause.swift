/// Growing times between tries, from 25 to 800 milliseconds, each up to half shorter by chance: so that nodes of ours
/// that lost Redis together don't come back together.
struct Pause {
  private var longest = 25

  /// The next one, in milliseconds.
  mutating func next() -> Int {
    defer { longest = min(800, longest * 2) }
    return Int.random(in: longest / 2...longest)
  }
}
