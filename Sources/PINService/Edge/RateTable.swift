import SessionStore

/// The buckets of one rate, one for each key, in a fixed amount of memory: whoever has many addresses gets no more of
/// it. A key without a place here has a full bucket; where all places are taken, the one that is nearest to full goes.
final class RateTable: Sendable {
  private struct Bucket {
    var key: UInt64 = 0
    /// In µs.
    var fullAt: Int64 = 0
  }

  /// Places that a key may have, side by side.
  private static let ways = 8

  private let buckets: Locked<[Bucket]>
  private let sets: Int

  /// - Parameter sets: how many times eight keys are kept; a power of two. The memory is used from the first key on.
  init(sets: Int = 2048) {
    self.sets = sets
    buckets = Locked([])
  }

  /// Takes a unit of the key's.
  ///
  /// - Parameters:
  ///   - key: keyed, so that nobody can choose keys that share places.
  ///   - now: in µs.
  func take(_ key: Hash128, _ rate: Rate, at now: Int64) -> RateVerdict {
    let start = (Int(truncatingIfNeeded: key.high) & (sets - 1)) * Self.ways
    return buckets.withLock { buckets in
      if buckets.isEmpty { buckets = [Bucket](repeating: Bucket(), count: sets * Self.ways) }
      var place = start
      for index in start..<start + Self.ways {
        if buckets[index].key == key.low && buckets[index].fullAt > now {
          place = index
          break
        }
        if buckets[index].fullAt < buckets[place].fullAt { place = index }
      }
      let isKnown = buckets[place].key == key.low
      let verdict = rate.take(fullAt: isKnown ? buckets[place].fullAt : now, at: now)
      if verdict.isGranted { buckets[place] = Bucket(key: key.low, fullAt: verdict.fullAt) }
      return verdict
    }
  }
}
