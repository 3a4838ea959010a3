import Glibc
import Synchronization

/// The file of a Unix socket that was bound here. It is removed when nobody has use for it any more, so that a start
/// that fails leaves none behind.
final class SocketFile: Sendable {
  private let path: String
  private let isRemoved = Atomic<Bool>(false)

  init(_ path: String) { self.path = path }

  deinit { remove() }

  /// Removes it, once: later the path may be another process's.
  func remove() {
    if !isRemoved.exchange(true, ordering: .acquiringAndReleasing) { unlink(path) }
  }
}
