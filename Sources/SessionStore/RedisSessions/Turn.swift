internal import Glibc

/// Lets one thread at a time do something that takes long. Who wants to be next waits only for so long, and is passed by
/// nobody who comes once the turn was handed on.
///
/// A flag, a mutex and a condition: a mutex alone can't be waited for by the monotonic clock from Swift.
final class Turn: @unchecked Sendable {
  // Used under the mutex only.
  private var isTaken = false
  private var waiting = 0
  /// Whether it is for one of those that wait: till one takes it, it's nobody else's.
  private var isHandedOn = false
  // At places of their own, as the system knows them by their addresses.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let given = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    given.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(given, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(given)
    pthread_mutex_destroy(mutex)
    given.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` alone; nil if it was not this one's turn by the deadline.
  func take<R: ~Copyable, E: Error>(by deadline: Deadline, _ body: () throws(E) -> R) throws(E) -> R? {
    guard wait(until: deadline) else { return nil }
    defer { give() }
    return try body()
  }

  private func wait(until deadline: Deadline) -> Bool {
    var time = deadline.time
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard isTaken else {
      isTaken = true
      return true
    }
    waiting += 1
    defer { waiting -= 1 }
    // What is handed on already is for one that was here before.
    repeat {
      guard pthread_cond_timedwait(given, mutex, &time) == 0 || isHandedOn else { return false }
    } while !isHandedOn
    isHandedOn = false
    return true
  }

  private func give() {
    pthread_mutex_lock(mutex)
    if waiting > 0 { isHandedOn = true } else { isTaken = false }
    // Before somebody else begins to wait, who could get it.
    pthread_cond_signal(given)
    pthread_mutex_unlock(mutex)
  }
}
