import Glibc
import SessionStore
import Testing

/// A Redis server of a test's own, in a folder of its own. It ends with this value, and after five minutes in any case.
final class RedisServer: @unchecked Sendable {
  enum Place { case unix, tcp }

  let folder: Folder
  let endpoint: RedisEndpoint
  private let options: [String]
  private var process: ChildProcess?
  /// The server's own process.
  private(set) var pid: pid_t = 0

  /// - Parameter options: as in `redis.conf`, such as `["--requirepass", "secret"]`.
  init(_ place: Place = .unix, options: [String] = []) throws {
    folder = try Folder()
    self.options = options
    endpoint =
      switch place {
      case .unix: .unix(path: folder.path + "/redis.sock")
      case .tcp: .tcp(host: "127.0.0.1", port: try FreePort.find())
      }
    try start()
  }

  deinit { if process != nil { kill() } }

  /// Starts it again where it was, and waits until it takes connections.
  func start() throws {
    let process = try ChildProcess(
      ["timeout", "--signal=KILL", "300", try folder.redisServer()] + listening + [
        "--dir", folder.path, "--pidfile", folder.path + "/redis.pid", "--loglevel", "notice", "--save", "",
        "--appendonly", "no", "--daemonize", "no",
      ] + options)
    try process.wait(forLineWith: "eady to accept connections")
    self.process = process
    pid = try #require(pid_t(folder.text(of: "redis.pid")), "the server has no pid file")
  }

  /// Nil if it has none.
  var port: UInt16? {
    guard case .tcp(_, let port) = endpoint else { return nil }
    return port
  }

  private var listening: [String] {
    switch endpoint {
    case .unix(let path): ["--port", "0", "--unixsocket", path]
    case .tcp(let host, let port): ["--bind", host, "--port", String(port)]
    }
  }

  /// Ends it at once, as a crash would.
  func kill() {
    // What is stopped dies too.
    Glibc.kill(pid, SIGKILL)
    process?.waitForEnd()
    process = nil
  }

  /// Keeps it from running; it still takes connections, as the system does that for it.
  func hang() { Glibc.kill(pid, SIGSTOP) }

  func goOn() { Glibc.kill(pid, SIGCONT) }

  func connect(_ login: RedisLogin = RedisLogin(), milliseconds: Int = 10_000) throws(RedisError) -> RedisConnection {
    try RedisConnection(endpoint, login, milliseconds: milliseconds)
  }

  func link(
    milliseconds: Int = 10_000, log: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> RedisLink {
    let text =
      switch endpoint {
      case .unix(let path): "redis+unix://\(path)"
      case .tcp: "redis://\(endpoint)"
      }
    return try RedisLink(RedisAddress(text), milliseconds: milliseconds, log: log)
  }
}
