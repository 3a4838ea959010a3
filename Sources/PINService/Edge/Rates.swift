import MicroHTTP
import PINEntry
import SessionStore

/// The rates that hold, and their buckets.
struct Rates: Sendable {
  let creations = RateTable()
  let wrongTokens = RateTable()
}

extension PINService {
  /// Counts an attempt to create for the client's address; nil where there is no limit.
  func takeCreation(_ request: borrowing Request, by rules: Rules) throws(Problem) -> RateVerdict? {
    guard rules.creationsPerMinute > 0 else { return nil }
    let client = rules.proxies.client(of: request)
    guard client.isLimited else { return nil }
    let rate = Rate(name: "creations", perMinute: rules.creationsPerMinute)
    let key = client.address.network.withBytes { hashing.hash($0) }
    let verdict = rates.creations.take(key, rate, at: now().milliseconds * 1000)
    if verdict.isGranted { return verdict }
    metrics.refused.count(.creations)
    var problem = Problem(
      .tooMany, "The address has created as many sessions as it may for now.", extra: .retryAfter(verdict.retrySeconds))
    problem.rate = verdict
    throw problem
  }

  /// What a token gets that is wrong for all these sessions: counted for each, and nothing but the problem from then on
  /// if there were many. The right token is not looked at here, so that nobody can keep a keypad out.
  func wrongToken(for sessions: [SessionHandle]) -> Problem {
    let perMinute = rules.wrongTokensPerMinute
    guard perMinute > 0 else { return .wrongToken }
    let rate = Rate(name: "wrong-tokens", perMinute: perMinute)
    var problem = Problem.wrongToken
    for session in sessions {
      let verdict = rates.wrongTokens.take(session.id.hash(hashing), rate, at: now().milliseconds * 1000)
      guard verdict.isGranted else {
        metrics.refused.count(.wrongTokens)
        problem = Problem(
          .tooMany, "The session has seen too many wrong tokens.", extra: .retryAfter(verdict.retrySeconds))
        problem.rate = verdict
        return problem
      }
      problem.rate = verdict
    }
    return problem
  }
}

extension SessionID {
  fileprivate func hash(_ hashing: HashKey) -> Hash128 {
    withUnsafeBytes(of: (high, low)) { hashing.hash($0) }
  }
}
