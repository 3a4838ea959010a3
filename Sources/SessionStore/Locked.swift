internal import Glibc

/// A value that is used under a lock.
///
/// On a pthread mutex and not `Synchronization.Mutex`: that one is several times slower under contention here, and
/// ThreadSanitizer does not understand it, so that it reports races that are none.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
  // Every access is between lock and unlock of the mutex beside it, so that the runtime need not look.
  @exclusivity(unchecked) private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init(_ value: consuming Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// For what can't be written as one closure without costing more than the lock; each `lock` has its `unlock`.
  func lock() { pthread_mutex_lock(mutex) }

  func unlock() { pthread_mutex_unlock(mutex) }

  /// Runs `body` with the value to itself; not to be called from within itself.
  package func withLock<R: ~Copyable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
