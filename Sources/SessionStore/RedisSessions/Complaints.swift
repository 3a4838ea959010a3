/// When the log was told last of something that goes wrong, by kind: each only once a minute, however many requests meet
/// it.
struct Complaints<Kind: Hashable & Sendable>: Sendable {
  private var told: [Kind: Int64] = [:]

  private static var milliseconds: Int64 { 60_000 }

  /// Whether the log is to be told of one now.
  ///
  /// - Parameter now: by a clock that goes on evenly, in ms.
  mutating func isNews(_ kind: Kind, at now: Int64) -> Bool {
    if let last = told[kind], now < last + Self.milliseconds { return false }
    told[kind] = now
    return true
  }
}
