package import PINEntry

/// Keeps sessions. What a session is and what an edit does to it is PINEntry's; a store finds it, sees that one edit
/// happens at a time, and tells those who watch.
package protocol SessionStore: AnyObject, Sendable {
  /// What the sessions' tokens are made with.
  var tokens: TokenKey { get }

  /// Makes a session; its time begins to run.
  func create(_ options: EntryOptions, _ presentation: Presentation) throws(StoreError) -> SessionHandle

  /// The session of this id; nil if there is none.
  func find(_ id: SessionID) throws(StoreError) -> SessionHandle?

  /// Does what is due, and says when it wants to be called again. For one thread at a time.
  func runTimers(at now: Instant) -> Instant

  /// How many sessions there are of a status.
  func count(_ status: Status) -> Int
}
