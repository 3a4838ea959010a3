internal import Glibc

/// Wakes a thread that waits for something to do.
final class WakeUp: Sendable {
  private let reading: Int32
  private let writing: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    // It fails only where there are no descriptors left, and then nothing of this works.
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { fatalError("no sockets for a wake-up") }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// From any thread. Several are as good as one.
  func ring() {
    var byte: UInt8 = 1
    // A full buffer wakes all the same.
    _ = send(writing, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Waits until it has been rung since the last wait, or something can be read from the other descriptor, or the
  /// time is over. Returns whether something can be read.
  /// - Parameters:
  ///   - descriptor: -1 for none.
  ///   - milliseconds: -1 for ever.
  @discardableResult
  func wait(orFor descriptor: Int32 = -1, milliseconds: Int) -> Bool {
    var waiting = [
      pollfd(fd: reading, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let limit = Int32(clamping: milliseconds)
    guard poll(&waiting, 2, limit) > 0 else { return false }
    if waiting[0].revents != 0 {
      var bytes = InlineArray<64, UInt8>(repeating: 0)
      while recv(reading, &bytes, 64, 0) == 64 {}
    }
    return waiting[1].revents != 0
  }
}
