package import PINEntry

/// Keeps sessions. What a session is and what an edit does to it is PINEntry's; a store finds it, sees that one edit
/// happens at a time, and tells those who watch.
package protocol SessionStore: AnyObject, Sendable {
  /// The store's time, which is that of `SessionAccess.now`.
  func now() -> Instant

  /// What the sessions' tokens are made with.
  var tokens: TokenKey { get }

  /// What requests that may come again are hashed with.
  var hashes: HashKey { get }

  /// Makes a session; its time begins to run.
  ///
  /// - Parameter deadline: until when that may take, of a creation that `createOnce` asks for; else nil.
  func create(
    _ options: EntryOptions, _ presentation: Presentation, by deadline: Deadline?
  ) throws(StoreError) -> SessionHandle

  /// Creates by `create`, or gives again what was created with the key.
  ///
  /// - Parameter create: is told until when it may take, if there is such a limit.
  func createOnce<E: Error>(
    _ key: CreationKey, request: Hash128, _ create: (Deadline?) throws(E) -> Creation
  ) throws(E) -> CreatedOnce

  /// The session of this id; nil if there is none.
  func find(_ id: SessionID) throws(StoreError) -> SessionHandle?

  /// The sessions of these ids, each as `find` gives it, in as few steps as can be.
  func find(_ ids: [SessionID]) throws(StoreError) -> [SessionHandle?]

  /// Does what is due, and says when it wants to be called again. For one thread at a time.
  func runTimers(at now: Instant) -> Instant

  /// How many sessions there are of a status.
  func count(_ status: Status) -> Int

  /// Throws if it can't be used now.
  func check() throws(StoreError)

  /// Whether all memory for digits could be locked.
  var isMemoryLocked: Bool { get }

  /// How it is doing; nil if it is in this process.
  var figures: StoreFigures? { get }
}

extension SessionStore {
  package func create(_ options: EntryOptions, _ presentation: Presentation) throws(StoreError) -> SessionHandle {
    try create(options, presentation, by: nil)
  }
}
