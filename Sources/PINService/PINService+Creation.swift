import MicroHTTP
import PINEntry
import SessionStore

extension PINService {
  /// Whose creation it is: who sent it, or which API key. Refuses those who may not create.
  func creator(of request: borrowing Request, by rules: Rules) throws(Problem) -> Hash128 {
    if rules.apiKeys.isEmpty {
      try rules.origins.checkCreation(request)
      return rules.proxies.client(of: request).address.withBytes { hashing.hash($0) }
    }
    guard case .token(let key) = Bearer(request) else {
      throw Problem(.unauthorized, "Creating a session needs an API key.", extra: .challenge(nil))
    }
    guard rules.apiKeys.contains(key) else { throw .wrongToken }
    // By the store's key, as it may be shared.
    return hashing.hash(key)
  }

  /// Creates a session, at most once for a key of one creator.
  ///
  /// - Parameter read: the options; not asked for when the answer is a replay.
  func create(
    _ key: IdempotencyKey?, for owner: Hash128, _ read: () throws(Problem) -> SessionConfiguration
  ) throws(Problem) -> Creation {
    guard let key else { return try create(try read()) }
    let scope = CreationKey(owner: owner, key: key.key)
    switch try store.createOnce(scope, request: key.request, { () throws(Problem) in try create(try read()) }) {
    case .created(let creation): return creation
    case .otherRequest: throw .reusedKey
    case .unavailable: throw .storeUnavailable
    }
  }

  private func create(_ resolved: SessionConfiguration) throws(Problem) -> Creation {
    guard !isDraining else { throw .draining }
    do throws(StoreError) {
      let session = try store.create(resolved.options, resolved.presentation)
      return Creation(
        id: session.id, nonce: session.nonce, createdOn: session.createdOn, configuration: resolved)
    } catch {
      if case .full = error { metrics.refused.count(.sessions) }
      throw Problem(error)
    }
  }
}
