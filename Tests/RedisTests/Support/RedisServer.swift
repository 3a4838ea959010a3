import Glibc
import SessionStore
import Testing

/// A Redis server of a test's own, in a folder of its own. It ends with this value, and after five minutes in any case.
final class RedisServer: @unchecked Sendable {
  enum Place { case unix, tcp }

  let folder: Folder
  let endpoint: RedisEndpoint
  private let arguments: [String]
  /// What it says when it can be used.
  private let ready: String
  private var process: ChildProcess?
  /// The server's own process.
  private(set) var pid: pid_t = 0

  /// - Parameter options: as in `redis.conf`, such as `["--requirepass", "secret"]`.
  convenience init(_ place: Place = .unix, options: [String] = []) throws {
    let folder = try Folder()
    let endpoint: RedisEndpoint =
      switch place {
      case .unix: .unix(path: folder.path + "/redis.sock")
      case .tcp: .tcp(host: "127.0.0.1", port: try FreePort.find())
      }
    let listening =
      switch endpoint {
      case .unix(let path): ["--port", "0", "--unixsocket", path]
      case .tcp(let host, let port): ["--bind", host, "--port", String(port)]
      }
    let common = ["--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0"]
    try self.init(folder, endpoint, listening + common + options, ready: "eady to accept connections")
  }

  private init(_ folder: Folder, _ endpoint: RedisEndpoint, _ arguments: [String], ready: String) throws {
    self.folder = folder
    self.endpoint = endpoint
    self.arguments = arguments
    self.ready = ready
    try start()
  }

  /// A sentinel that replaces a master when it is gone for half a second.
  static func sentinel(of master: RedisServer, named name: String) throws -> RedisServer {
    let folder = try Folder()
    let port = try FreePort.find()
    let masterPort = try #require(master.port)
    let configuration = """
      bind 127.0.0.1
      port \(port)
      sentinel monitor \(name) 127.0.0.1 \(masterPort) 1
      sentinel down-after-milliseconds \(name) 500
      sentinel failover-timeout \(name) 3000

      """
    try folder.write(configuration, to: "sentinel.conf")
    return try RedisServer(
      folder, .tcp(host: "127.0.0.1", port: port), [folder.path + "/sentinel.conf", "--sentinel"],
      ready: "+monitor master")
  }

  deinit { if process != nil { kill() } }

  /// Starts it again where it was, and waits until it takes connections, or has said something else.
  func start(until ready: String? = nil) throws {
    let process = try ChildProcess(
      ["timeout", "--signal=KILL", "300", try folder.redisServer()] + arguments + [
        "--dir", folder.path, "--pidfile", folder.path + "/redis.pid", "--loglevel", "notice", "--daemonize", "no",
      ])
    try process.wait(forLineWith: ready ?? self.ready)
    self.process = process
    pid = try #require(pid_t(folder.text(of: "redis.pid")), "the server has no pid file")
  }

  /// Nil if it has none.
  var port: UInt16? {
    guard case .tcp(_, let port) = endpoint else { return nil }
    return port
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
