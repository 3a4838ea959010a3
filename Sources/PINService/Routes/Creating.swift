import MicroHTTP
import PINEntry
import SessionStore
import WipingBuffer

/// `POST /v1/sessions`.
enum Creating {
  static func respond(_ service: PINService, _ request: borrowing Request) throws(Problem) -> Reply {
    try service.checkTurn(request)
    let rules = service.rules
    let rate = try service.takeCreation(request, by: rules)
    let owner = try service.creator(of: request, by: rules)
    try BodyType.check(request)
    let body = try BodyReader(request.body)
    let key = try IdempotencyKey(request, service.hashing)
    let created = try service.create(key, for: owner) { () throws(Problem) in
      var reader = OptionsReader(rules.styles)
      return try reader.read(body)
    }
    var response = response(created, service)
    if let rate { response.setRate(rate) }
    return .response(response)
  }

  private static func response(_ created: Creation, _ service: PINService) -> Response {
    var out = Bytes(capacity: 1024)
    // A new session is at its first state, whatever has happened to it when a retry gets its answer again.
    let fresh = Session(
      id: created.id, nonce: created.nonce, options: created.configuration.options, at: Instant(milliseconds: 0),
      on: created.createdOn)
    out.appendOpenState(Snapshot(id: created.id, state: fresh.state, eventID: 0, message: nil))
    out.append(",\"tokens\":{\"entry\":\"")
    service.tokens.forEachCharacter(.entry, created.id, created.nonce) { out.append(byte: $0) }
    out.append("\",\"owner\":\"")
    service.tokens.forEachCharacter(.owner, created.id, created.nonce) { out.append(byte: $0) }
    out.append("\"},\"config\":")
    out.appendConfig(created.configuration.options, created.configuration.presentation)
    out.append(",\"metadata\":")
    out.appendMetadata(created.configuration.presentation.metadata)
    let path = "/v1/sessions/" + created.id.text
    out.append(",\"links\":{\"self\":\"")
    out.append(text: path)
    out.append("\",\"events\":\"")
    out.append(text: path)
    out.append("/events\",\"cells\":\"")
    out.append(text: path)
    out.append("/cells.svg\"}")
    if created.configuration.options.reveal { out.append(",\"text\":\"\"") }
    out.append("}")
    var response = Response(status: 201, contentType: "application/json", body: out)
    response.setHeader("Location", text: path)
    if created.isReplay { response.setHeader("Idempotency-Replayed", "true") }
    return response
  }
}

extension PINService {
  /// Whose creation it is: who sent it, or which API key. Refuses those who may not create.
  fileprivate func creator(of request: borrowing Request, by rules: Rules) throws(Problem) -> Hash128 {
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
  fileprivate func create(
    _ key: IdempotencyKey?, for owner: Hash128, _ read: () throws(Problem) -> SessionConfiguration
  ) throws(Problem) -> Creation {
    guard let key else { return try create(try read()) }
    let scope = CreationKey(owner: owner, key: key.key)
    let found = try store.createOnce(scope, request: key.request) { deadline throws(Problem) in
      try create(try read(), by: deadline)
    }
    switch found {
    case .created(let creation): return creation
    case .otherRequest: throw .reusedKey
    case .unavailable: throw .storeUnavailable
    }
  }

  private func create(
    _ resolved: SessionConfiguration, by deadline: Deadline? = nil
  ) throws(Problem) -> Creation {
    guard !isDraining else { throw .draining }
    do throws(StoreError) {
      let session = try store.create(resolved.options, resolved.presentation, by: deadline)
      return Creation(
        id: session.id, nonce: session.nonce, createdOn: session.createdOn, configuration: resolved)
    } catch {
      if case .full = error { metrics.refused.count(.sessions) }
      throw Problem(error)
    }
  }
}
