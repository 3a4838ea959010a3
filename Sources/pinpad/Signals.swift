import Glibc

/// The signals that tell the service what to do. They are blocked in all threads, and the main thread waits for them.
enum Signals {
  private static var all: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGHUP)
    return signals
  }

  /// Keeps them until they are waited for; for all threads that are started from now on.
  static func block() {
    var signals = all
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// The next one.
  static func next() -> Int32 {
    var signals = all
    var number: Int32 = 0
    while sigwait(&signals, &number) != 0 {}
    return number
  }
}
