import Glibc
import SessionStore

/// What is told by other threads, a line at a time.
final class Lines: @unchecked Sendable {
  // Used under the mutex only.
  private var lines: [String] = []
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  var all: [String] {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return lines
  }

  func add(_ line: String) {
    pthread_mutex_lock(mutex)
    lines.append(line)
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits until there are so many such lines; false if there aren't within a minute.
  func wait(for text: String, times: Int = 1) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    end.tv_sec += 60
    while lines.count(where: { $0.contains(text) }) < times {
      guard pthread_cond_timedwait(condition, mutex, &end) == 0 else { return false }
    }
    return true
  }
}
