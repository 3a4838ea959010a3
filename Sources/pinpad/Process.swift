import CProcess
import Glibc

/// What concerns the process as a whole.
enum Process {
  /// Makes sure that a crash shows nobody the memory.
  static func secure() {
    // Swift's own handlers would print what is at every register.
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT] { signal(number, SIG_DFL) }
    signal(SIGPIPE, SIG_IGN)
    // A limit of 0 alone would not do where core dumps go to a program.
    _ = process_forbid_looking()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
  }

  /// The socket that systemd opened for this process (sd_listen_fds(3)); nil without one. Whoever is started by this
  /// process is not told of it.
  static func takeInheritedSocket() -> Int32? {
    defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
    guard let process = getenv("LISTEN_PID"), String(cString: process) == String(getpid()),
      let count = getenv("LISTEN_FDS"), String(cString: count) == "1"
    else { return nil }
    return firstInheritedSocket
  }

  /// SD_LISTEN_FDS_START.
  private static let firstInheritedSocket: Int32 = 3

  /// Raises the limit of open files as far as it goes, and says what it is then.
  static func raiseFileLimit() -> Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }
}
