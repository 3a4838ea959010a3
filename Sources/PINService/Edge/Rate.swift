import MicroHTTP
import WipingBuffer

/// How often something may be done in a minute: a bucket of so many units that fills up again evenly.
struct Rate: Equatable, Sendable {
  /// As `RateLimit-Policy` calls it; letters and hyphens only.
  let name: StaticString
  /// Units in the full bucket, which are also those that come in a minute.
  let perMinute: Int

  /// In µs.
  static let window: Int64 = 60_000_000

  static func == (a: Rate, b: Rate) -> Bool { a.perMinute == b.perMinute }

  /// What comes of taking a unit.
  ///
  /// - Parameter fullAt: when the bucket is full again, as the last verdict said; times are in µs.
  func take(fullAt: Int64, at now: Int64) -> RateVerdict {
    let unit = max(1, Self.window / Int64(perMinute))
    let missing = max(0, fullAt - now)
    let isGranted = missing + unit <= Self.window
    let after = isGranted ? missing + unit : missing
    return RateVerdict(
      rate: self, isGranted: isGranted, remaining: Int((Self.window - after) / unit), fullAt: now + after,
      resetSeconds: Self.seconds(after), retrySeconds: max(1, Self.seconds(after + unit - Self.window)))
  }

  private static func seconds(_ microseconds: Int64) -> Int { Int((microseconds + 999_999) / 1_000_000) }
}

/// What came of taking a unit, as the fields of draft-ietf-httpapi-ratelimit-headers tell it.
package struct RateVerdict: Equatable, Sendable {
  let rate: Rate
  let isGranted: Bool
  /// Units that are left.
  let remaining: Int
  /// In µs of the clock that the taker used.
  let fullAt: Int64
  /// Until all units are there again.
  let resetSeconds: Int
  /// Until there is one unit, 1 at least.
  let retrySeconds: Int
}

extension Response {
  /// Adds `RateLimit-Policy` and `RateLimit`.
  mutating func setRate(_ verdict: RateVerdict) {
    setHeader("RateLimit-Policy", text: "\"\(verdict.rate.name)\";q=\(verdict.rate.perMinute);w=60")
    setHeader("RateLimit", text: "\"\(verdict.rate.name)\";r=\(verdict.remaining);t=\(verdict.resetSeconds)")
  }
}
