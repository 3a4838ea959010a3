package import PINEntry

/// A session that was found, wherever it is kept. Its id and nonce never change; everything else is reached through
/// `access`.
public enum SessionHandle: Sendable {
  case memory(MemorySession)
  case redis(RedisVisit)

  package var id: SessionID {
    switch self {
    case .memory(let session): session.id
    case .redis(let visit): visit.session.id
    }
  }

  package var nonce: SessionID {
    switch self {
    case .memory(let session): session.nonce
    case .redis(let visit): visit.session.nonce
    }
  }

  /// What is kept of its tokens.
  package var tokens: TokenHashes {
    switch self {
    case .memory(let session): session.tokens
    case .redis(let visit): visit.session.tokens
    }
  }

  /// When it was created, in seconds since 1970.
  package var createdOn: UInt32 {
    switch self {
    case .memory(let session): session.createdOn
    case .redis(let visit): visit.session.createdOn
    }
  }

  /// Runs `body` with the session to itself, after the timers that are due, and then wakes whoever watches if there
  /// were events.
  ///
  /// - Parameter body: may be run again from the start when a store finds that another node was first: so it makes its
  ///   answer anew each time, and does nothing that shows outside.
  @inlinable public func access<R: ~Copyable, E: Error>(
    _ body: (inout SessionAccess) throws(E) -> R
  ) throws(E) -> Accessed<R> {
    switch self {
    case .memory(let session): try session.access(body)
    case .redis(let visit): try visit.access(body)
    }
  }

  /// Runs `body` with the session as this process knows it: timers that are due are left alone, and no other machine is
  /// asked. For watchers, who must neither wait nor make events when they are woken: one would wake the next, and so on
  /// in the same stack. The one exception is a wait to redeem: it calls `access` when the entry is complete or may be, and
  /// at its end. Nil if the session is gone.
  @inlinable public func read<R: ~Copyable>(_ body: (SessionAccess) -> R) -> R? {
    switch self {
    case .memory(let session): session.read(body)
    case .redis(let visit): visit.read(body)
    }
  }

  /// Lets the session wake `watcher`; false if `limit` others do that already.
  package func watch(_ watcher: any SessionWatcher, limit: Int) -> Bool {
    switch self {
    case .memory(let session): session.watch(watcher, limit: limit)
    case .redis(let visit): visit.session.watch(watcher, limit: limit)
    }
  }

  /// Undoes one `watch`.
  package func unwatch(_ watcher: any SessionWatcher) {
    switch self {
    case .memory(let session): session.unwatch(watcher)
    case .redis(let visit): visit.session.unwatch(watcher)
    }
  }
}
