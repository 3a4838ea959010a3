import Glibc
import MicroHTTP
import PINEntry
import PINService
import SessionStore
import Synchronization

enum Program {
  static func run(arguments: [String]) throws {
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP] { signal(number, SIG_DFL) }
    signal(SIGPIPE, SIG_IGN)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let place = arguments.firstIndex(of: "--listen").map { arguments[$0 + 1] } ?? "127.0.0.1:8080"
    let parts = place.split(separator: ":")
    let running = Running()
    let store = try MemorySessionStore(maximum: 1_000_000, memoryLock: .preferred) { running.wake($0) }
    let service = PINService(ServiceSettings(), store: store, styles: StyleFiles.embedded())
    let listener = try Listener.tcp(host: String(parts[0]), port: UInt16(parts[1])!)
    let address = listener.address
    let server = try Server.start(
      listener: listener, onRequest: { service.respond(to: $0) },
      onTime: { store.runTimers(at: Instant(milliseconds: $0)).milliseconds }, onLog: { print($0) })
    running.server.withLock { $0 = server }
    print("pinpad listening on http://\(address)")
    fflush(nil)
    sigwaitinfo(&signals, nil)
    service.drain()
    server.drain()
    server.wakeAllStreams()
    while server.counts.requests > 0 || server.counts.streams > 0 { usleep(10_000) }
    server.stop()
  }
}

final class Running: Sendable {
  let server = Locked<Server?>(nil)
  func wake(_ time: Instant) { server.withLock { $0 }?.wakeTimers(by: time.milliseconds) }
}
