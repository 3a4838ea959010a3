import PINEntry
import SessionStore

/// The `sessions` of `GET /v1/events`.
enum SeveralSessions {
  private static let counts = 2...64

  /// The ids that the query names; nil stands for a name that no session can have.
  static func ids(in query: inout Query) -> [SessionID?] {
    guard let list = query.bytes("sessions") else {
      query.fail("sessions", "is needed")
      return []
    }
    let ids = list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      $0.withUnsafeBytes { SessionID($0) }
    }
    if !counts.contains(ids.count) {
      query.fail("sessions", "is not \(counts.lowerBound) to \(counts.upperBound) ids")
    }
    let known = ids.compactMap { $0 }
    if Set(known).count < known.count { query.fail("sessions", "has an id twice") }
    return ids
  }

  static func find(_ ids: [SessionID?], in store: any SessionStore) throws(Problem) -> [SessionHandle] {
    let sessions = try store.sessions(ids.compactMap { $0 }).compactMap { $0 }
    guard sessions.count == ids.count else { throw Problem(.notFound, "One of the sessions does not exist.") }
    return sessions
  }

  /// For each session whether the token is one of its own; a token that fits none is refused.
  static func roles(_ sessions: [SessionHandle], _ bearer: Bearer, _ service: PINService) throws(Problem) -> [Bool] {
    guard case .token(let token) = bearer else { return sessions.map { _ in false } }
    let fits = sessions.map { service.tokens.role(of: token, $0.tokens) != nil }
    guard fits.contains(true) else { throw service.wrongToken(for: sessions) }
    return fits
  }

  /// Where a reader is in each session.
  struct Place {
    let cursor: Cursor
    /// Whether nothing can come any more.
    let isAtEnd: Bool
  }

  /// Reads the id of an event of such a stream.
  ///
  /// - Parameters:
  ///   - shows: for each session, whether the reader's token is one of its own.
  static func places(
    _ point: UnsafeRawBufferPointer?, _ sessions: [SessionHandle], _ shows: [Bool], _ service: PINService
  ) -> Accessed<[Place]> {
    let parts = point?.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    var places: [Place] = []
    for (index, session) in sessions.enumerated() {
      // Another number of parts belongs to other sessions: none of it can be honoured.
      let part = parts.map {
        $0.count == sessions.count ? UnsafeRawBufferPointer(rebasing: $0[index]) : .init(start: nil, count: 0)
      }
      let place = session.access { access in
        let sight = service.sight(access)
        let cursor = Cursor.resuming(part, in: access, sight, isTrusted: shows[index])
        return Place(cursor: cursor, isAtEnd: sight.isClosed(access) && cursor == .after(sight.newest))
      }
      switch place {
      case .done(let place): places.append(place)
      case .gone: return .gone
      case .unavailable: return .unavailable
      }
    }
    return .done(places)
  }
}
