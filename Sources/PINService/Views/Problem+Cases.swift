import PINEntry
import SessionStore

extension Problem {
  /// Why the model refused an edit; conflicts show the state as it is.
  init(_ error: EditError, _ snapshot: Snapshot) {
    switch error {
    case .invalidCharacter(let index):
      self.init(.invalidCharacter, "The character at index \(index) is not of the session's alphabet.")
      self.index = index
      return
    case .closed: self.init(.closed, "The session has closed.")
    case .stale: self.init(.preconditionFailed, "The session is at revision \(snapshot.state.revision).")
    case .held: self.init(.held, "The owner holds the text for judging.")
    case .outOfPosition: self.init(.outOfPosition, "The count is \(snapshot.state.count).")
    case .full: self.init(.full, "All \(snapshot.state.length) cells are filled.")
    case .overflow(let room):
      self.init(.overflow, "There is room for \(room) characters.")
      return
    case .incomplete:
      self.init(.incomplete, "\(snapshot.state.count) of \(snapshot.state.length) characters are in.")
    case .notHeld: self.init(.notHeld, "No text is held.")
    case .lengthBelowCount:
      self.init(.conflict, "The length can't be below the count, which is \(snapshot.state.count).")
    case .sealed: self.init(.conflict, "The text is sealed: it can only be cleared or set anew.")
    case .alphabetWithText: self.init(.conflict, "The alphabet can't change while there is text.")
    }
    self.snapshot = snapshot
  }

  /// The session was removed between finding it and using it.
  static var gone: Problem { Problem(.notFound, "There is no such session.") }
}

extension Problem {
  /// Why a store could not do what was asked.
  init(_ error: StoreError) {
    switch error {
    case .full:
      self.init(.unavailable, "There are as many sessions as there may be.", extra: .retryAfter(5))
    case .noMemory:
      self.init(.unavailable, "There is no memory for another session.", extra: .retryAfter(5))
    case .unavailable: self = .storeUnavailable
    }
  }

  /// The token is not of this session, or the key not one of the service's.
  static var wrongToken: Problem {
    Problem(.unauthorized, "The token does not belong here.", extra: .challenge("invalid_token"))
  }

  static var reusedKey: Problem {
    Problem(.idempotencyKeyReused, "This key came with another request before.")
  }

  /// The service is about to stop.
  static var draining: Problem {
    Problem(.unavailable, "The service is stopping.", extra: .retryAfter(5))
  }

  /// The store could not be reached, so that nobody knows what has become of a change, or has refused it.
  static var storeUnavailable: Problem {
    Problem(.unavailable, "The store of sessions cannot be reached, or takes no changes now.", extra: .retryAfter(1))
  }

  /// More ask the store than it has answers for; this one has not.
  static var storeOverloaded: Problem {
    Problem(.unavailable, "The store of sessions is too slow for all who ask.", extra: .retryAfter(1))
  }

  static func methodNotAllowed(_ route: Route) -> Problem {
    Problem(.methodNotAllowed, "This path takes \(route.allow).", extra: .allow(route.allow))
  }
}
