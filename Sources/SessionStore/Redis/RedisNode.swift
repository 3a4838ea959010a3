internal import Glibc

/// One Redis server as all who ask see it: the connections to it that rest, and whether it is worth trying.
///
/// A thread takes a connection that rests, or makes one, has it alone, and gives it back; so there are no more than
/// threads that ask at once. The first time-out or refused connection marks the server as down for all of them: from then on
/// `take` fails at once, until `look` has found it up again.
final class RedisNode: Sendable {
  let endpoint: RedisEndpoint
  private let access: RedisAccess
  private let news: RedisNews
  private let state: Locked<State>

  private struct State: ~Copyable {
    /// What the endpoint stands for; none before a name has been looked up.
    var places: [SocketPlace]
    var resting: [(connection: RedisConnection, since: Deadline)] = []
    /// Why it is down; nil if it's not.
    var trouble: String?
  }

  init(_ endpoint: RedisEndpoint, _ access: RedisAccess, _ news: RedisNews) {
    self.endpoint = endpoint
    self.access = access
    self.news = news
    let places = endpoint.resolvedAtOnce()
    state = Locked(State(places: places, trouble: places.isEmpty ? "\(endpoint): not looked up yet" : nil))
  }

  /// Why it is down; nil if it's not.
  var trouble: String? { state.withLock { $0.trouble } }

  /// A connection, for the caller alone, who may wait with it until then.
  func take(by deadline: Deadline) throws(RedisError) -> RedisConnection {
    while true {
      let (resting, places) = try state.withLock { state throws(RedisError) in
        if let trouble = state.trouble { throw .unavailable(trouble) }
        return (state.resting.popLast(), state.places)
      }
      guard let resting else { return try connect(places, by: deadline) }
      // Redis may have closed what has rested for long; what was used just now is good, and a look costs a system call.
      if !resting.since.isOver || resting.connection.isQuiet {
        resting.connection.deadline = deadline
        return resting.connection
      }
    }
  }

  private func connect(_ places: [SocketPlace], by deadline: Deadline) throws(RedisError) -> RedisConnection {
    let isWhole = deadline.milliseconds >= access.milliseconds
    do throws(RedisError) {
      return try access.connect(places, endpoint, by: deadline)
    } catch {
      // Who had less time than connecting may take has learnt nothing of the server.
      if !isWhole && deadline.isOver { throw .unavailable("out of time") }
      // What Redis says to a newcomer is meant for all.
      let failure = RedisAccess.failure(error, endpoint)
      markDown(failure.reason)
      throw failure
    }
  }

  /// Takes a connection back. It is closed if it can't be used again, or the server is down.
  func giveBack(_ connection: RedisConnection) {
    guard connection.isUsable else { return forgetResting() }
    state.withLock { state in
      guard state.trouble == nil else { return }
      state.resting.append((connection, .after(milliseconds: 1000)))
    }
  }

  /// Closes the connections that rest: another one was closed by the server, so these probably were too.
  func forgetResting() { state.withLock { $0.resting = [] } }

  /// From now on nobody tries it, until it has been looked at.
  func markDown(_ reason: String) {
    let wasUp = state.withLock { state in
      defer { state.trouble = reason }
      state.resting = []
      return state.trouble == nil
    }
    if wasUp { news.tellDown(reason) }
  }

  /// Tries to reach it, also when it is down, and looks its name up again if it has one, which may take seconds. The
  /// connection serves the first who wants one.
  func look() throws(RedisError) {
    let places = endpoint.resolved()
    let connection: RedisConnection
    do throws(RedisError) {
      connection = try access.connect(places, endpoint)
      _ = try connection.command(["PING"])
    } catch {
      let failure = RedisAccess.failure(error, endpoint)
      markDown(failure.reason)
      throw failure
    }
    state.withLock { state in
      state.places = places
      state.trouble = nil
      state.resting.append((connection, .after(milliseconds: 1000)))
    }
  }
}
