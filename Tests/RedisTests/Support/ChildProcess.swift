import Glibc

/// A program that a test runs.
final class ChildProcess {
  struct Failure: Error, CustomStringConvertible { let description: String }

  private let pid: pid_t
  private let output: UnsafeMutablePointer<FILE>

  /// Starts it, found by its name as a shell would.
  init(_ command: [String]) throws {
    var ends: [Int32] = [-1, -1]
    // Not a pipe, which another thread's child could inherit before it's marked.
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw Failure(description: "no sockets")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    var arguments = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var pid = pid_t()
    let failure = posix_spawnp(&pid, command[0], &actions, nil, &arguments, environ)
    close(ends[1])
    guard failure == 0, let output = fdopen(ends[0], "r") else {
      close(ends[0])
      throw Failure(description: "\(command[0]): \(String(cString: strerror(failure)))")
    }
    self.pid = pid
    self.output = output
  }

  deinit { fclose(output) }

  /// Reads what it says until there is such a line. What it says afterwards is lost.
  func wait(forLineWith text: String) throws {
    var said = ""
    var buffer = [CChar](repeating: 0, count: 4096)
    while fgets(&buffer, Int32(buffer.count), output) != nil {
      let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      said += line
      if line.contains(text) { return }
    }
    waitForEnd()
    throw Failure(description: "it ended and had said: \(said)")
  }

  /// Waits until it has ended.
  func waitForEnd() {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
  }
}
