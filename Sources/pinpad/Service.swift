import CellSVG
import Glibc
import MicroHTTP
import PINEntry
import PINService
import SessionStore

/// The service as it runs: wiring, start, and stop.
enum Service {
  /// It has the server, and through it all that serves. That is not torn down when it has stopped, but stays reachable, so
  /// that a search for leaks at the end finds what was lost and nothing else.
  private static let timers = Timers()

  /// Serves until a signal ends it; returns the exit status.
  static func run(_ options: Options, _ loading: Loading, _ styles: StyleCatalog) -> Int32 {
    let configuration = loading.reader.configuration
    let log = Log { Files.write($0, to: STDERR_FILENO) }
    log.set(configuration)
    defer { log.close() }
    let capacity = Capacity(configuration, fileLimit: Process.raiseFileLimit())
    for warning in [capacity.warning].compactMap(\.self) + configuration.warnings { log.say(.warning, warning) }
    do {
      let store = try loading.store(log) { timers.wake(by: $0) }
      if !store.isMemoryLocked {
        log.say(.warning, "memory with digits can't be locked: raise the limit of locked memory")
      }
      let service = PINService(ServiceSettings(configuration), store: store, styles: styles, log: log)
      let listener = try listener(configuration)
      let place = listener.address
      var reloading = Reloading(options, configuration, service, log, isLoopback: listener.isLoopback)
      // The configuration's own address has been looked at; systemd's and what a name stands for show only now.
      guard listener.isLoopback || !configuration.apiKeys.isEmpty || configuration.allowAnyoneToCreate else {
        log.say(.error, ConfigurationReader.refusal(toListenAt: place))
        return Program.configurationIsWrong
      }
      let server = try Server.start(
        listener: listener, limits: limits(configuration, capacity),
        mayWait: { service.mayWait($0) }, onRequest: { service.respond(to: $0) },
        isLimited: { service.isLimited($0) },
        onFull: { service.refuseStream($0, $1) },
        onTime: { min(service.runGrid(at: $0), store.runTimers(at: Instant(milliseconds: $0)).milliseconds) },
        onLog: { log.say(.warning, $0) })
      timers.start(server)
      service.watch(server)
      log.say(.info, "pinpad \(Program.version) listens on \(place)")
      Files.writeOut("pinpad listening on \(place.hasPrefix("unix:") ? place : "http://" + place)\n")
      while Signals.next() == SIGHUP { reloading.reload() }
      log.say(.info, "pinpad stops")
      stop(server, service, within: reloading.configuration.drainSeconds)
      return 0
    } catch let error as StoreError {
      switch error {
      case .noMemory:
        log.say(.error, "memory.lock: the memory for digits can't be locked: raise the limit of locked memory")
      case .full: log.say(.error, "sessions.maximum: there is no room")
      case .unavailable: log.say(.error, "store: it cannot be reached")
      }
      return 1
    } catch let error as RedisError {
      log.say(.error, "store: \(error.reason)")
      if case .misconfigured = error { return Program.configurationIsWrong }
      return 1
    } catch let error as RedisChecks.Failure {
      log.say(.error, "store: \(error)")
      return Program.configurationIsWrong
    } catch {
      log.say(.error, "\(error)")
      return 1
    }
  }

  /// systemd's socket, if there is one, or a new one.
  private static func listener(_ configuration: Configuration) throws -> Listener {
    if let socket = Process.takeInheritedSocket() { return try Listener.inherited(socket) }
    switch configuration.address {
    case .tcp(let host, let port)?: return try Listener.tcp(host: host, port: port)
    case .unix(let path)?: return try Listener.unix(path: path)
    case nil: preconditionFailure("the configuration was checked")
    }
  }

  private static func limits(_ configuration: Configuration, _ capacity: Capacity) -> Server.Limits {
    var limits = Server.Limits()
    limits.connections = capacity.connections
    limits.streams = capacity.streams
    limits.connectionsPerAddress = capacity.connectionsPerAddress
    limits.streamsPerAddress = capacity.streamsPerAddress
    limits.requestSeconds = configuration.requestSeconds
    limits.idleSeconds = configuration.idleSeconds
    limits.workers = configuration.workerCount
    limits.waiters = capacity.waiters
    return limits
  }

  /// Lets requests under way finish and ends the streams; what is not done in time is cut.
  private static func stop(_ server: Server, _ service: PINService, within seconds: Int) {
    service.drain()
    server.drain()
    let start = monotonicNow()
    let end = start + Int64(seconds) * 1000
    // First the requests that had begun, so that the streams tell of their edits; but not for long, as some client may
    // be slow.
    wait(until: start + min(1000, Int64(seconds) * 500)) { server.counts.earlyRequests == 0 }
    service.endStreams()
    server.wakeAllStreams()
    // Those who ask Redis when all else is done, or has had its time, are still to be answered.
    var asked = start
    wait(until: end - Int64(seconds) * 250) {
      // Again, for streams that were just being opened.
      if monotonicNow() - asked > 200 {
        asked = monotonicNow()
        server.wakeAllStreams()
      }
      let counts = server.counts
      return counts.earlyRequests == 0 && counts.streams == 0
    }
    // Those that came since, of which there may be more all the time: not for long, but for who asks Redis, which
    // nobody begins any more.
    service.close()
    let soon = monotonicNow() + 1000
    wait(until: end) {
      let counts = server.counts
      return counts.requests == 0 || (counts.waitingRequests == 0 && monotonicNow() > soon)
    }
    server.stop()
  }

  private static func wait(until deadline: Int64, _ isDone: () -> Bool) {
    while !isDone() && monotonicNow() < deadline { usleep(5000) }
  }
}

/// Tells the server when the store's timers have to run; there may be none yet.
private final class Timers: Sendable {
  private let server = Locked<Server?>(nil)

  func start(_ server: Server) {
    self.server.withLock { $0 = server }
    // What was set before it was there.
    server.wakeTimers(by: 0)
  }

  func wake(by time: Instant) { server.withLock { $0 }?.wakeTimers(by: time.milliseconds) }
}
