import SessionStore

/// Why a request was refused for what there is too much of.
enum Scarcity: Int, CaseIterable, Sendable {
  /// Streams and waits of the whole service.
  case streams
  /// Those of one address.
  case addressStreams
  /// Those of one session.
  case sessionStreams
  case descriptors
  case sessions
  /// Answers of the store in time.
  case store
  /// Creations of one address in a minute.
  case creations
  /// Wrong tokens for one session in a minute.
  case wrongTokens

  /// Its label in the metrics.
  var name: StaticString {
    switch self {
    case .streams: "streams"
    case .addressStreams: "address-streams"
    case .sessionStreams: "session-streams"
    case .descriptors: "descriptors"
    case .sessions: "sessions"
    case .store: "store"
    case .creations: "creations"
    case .wrongTokens: "wrong-tokens"
    }
  }
}

/// How many requests were refused for each scarcity.
final class RefusedCounts: Sendable {
  private let counts = Locked([Int](repeating: 0, count: Scarcity.allCases.count))

  func count(_ scarcity: Scarcity) { counts.withLock { $0[scarcity.rawValue] += 1 } }

  func read(_ scarcity: Scarcity) -> Int { counts.withLock { $0[scarcity.rawValue] } }
}
