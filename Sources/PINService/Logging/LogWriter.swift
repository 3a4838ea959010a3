import Glibc

/// Writes the log's lines on a thread of its own, so that a reader who does not read holds up nobody else.
///
/// What is not pressing is written when a second of the wall clock begins: whoever stamps the lines with a finer time
/// than they have themselves learns nothing of the rhythm in which digits were typed.
final class LogWriter: @unchecked Sendable {
  // What is not constant is touched only with the mutex held.
  private var ring: LogRing
  private var isPressing = false
  private var isClosing = false
  private var isDone = false
  private let sink: @Sendable (UnsafeRawBufferPointer) -> Bool
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>

  private static let chunk = 65_536

  /// - Parameters:
  ///   - capacity: bytes of lines that may wait.
  ///   - sink: writes whole lines or the rest of some, on the writer's thread, for as long as it takes; false: they are
  ///     lost.
  init(capacity: Int, sink: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool) {
    ring = LogRing(capacity: capacity)
    self.sink = sink
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    changed = .allocate(capacity: 1)
    changed.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // No change of the wall clock is to hold up lines.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
    // The thread keeps the writer until it is closed.
    let this = Unmanaged.passRetained(self)
    var thread = pthread_t()
    if pthread_create(&thread, nil, runWriter, this.toOpaque()) == 0 {
      pthread_detach(thread)
    } else {
      isDone = true
      this.release()
    }
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Lines that nobody will read.
  var droppedLines: Int { withLock { ring.dropped } }

  /// Takes a line; never waits for whoever reads the log.
  ///
  /// - Parameter object: a JSON object without its closing brace.
  func append(_ object: UnsafeRawBufferPointer, isPressing: Bool) {
    let wakes = withLock {
      let wasEmpty = ring.isEmpty
      // Nobody would write it.
      if isDone { ring.drop(1) } else { ring.append(object) }
      let becomesPressing = !self.isPressing && (isPressing || ring.isHalfFull)
      if becomesPressing { self.isPressing = true }
      return wasEmpty || becomesPressing
    }
    if wakes { pthread_cond_broadcast(changed) }
  }

  /// Writes what there is, and ends; gives up after so many ms.
  func close(within milliseconds: Int) {
    withLock {
      isClosing = true
      pthread_cond_broadcast(changed)
      var deadline = Self.monotonicTime(in: milliseconds * 1_000_000)
      while !isDone { if pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT { return } }
    }
  }

  /// The thread.
  fileprivate func run() {
    var chunk = [UInt8](repeating: 0, count: Self.chunk)
    pthread_mutex_lock(mutex)
    while true {
      while ring.isEmpty && !isClosing { pthread_cond_wait(changed, mutex) }
      waitForWholeSecond()
      while !ring.isEmpty { write(&chunk) }
      // Only now: what came while this was written is written too, and nothing is pressing any more.
      isPressing = false
      if isClosing { break }
    }
    isDone = true
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(mutex)
  }

  /// Unless something is pressing.
  private func waitForWholeSecond() {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var deadline = Self.monotonicTime(in: 1_000_000_000 - now.tv_nsec)
    while !isPressing && !isClosing { if pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT { return } }
  }

  /// Writes what fits into the chunk, without the lock meanwhile.
  private func write(_ chunk: inout [UInt8]) {
    let count = ring.take(into: &chunk)
    pthread_mutex_unlock(mutex)
    let isWritten = chunk.withUnsafeBytes { sink(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    pthread_mutex_lock(mutex)
    if !isWritten { ring.drop(chunk[..<count].count { $0 == UInt8(ascii: "\n") }) }
  }

  private func withLock<R>(_ body: () -> R) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  private static func monotonicTime(in nanoseconds: Int) -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let sum = time.tv_nsec + nanoseconds
    return timespec(tv_sec: time.tv_sec + sum / 1_000_000_000, tv_nsec: sum % 1_000_000_000)
  }
}

// A free function, which belongs to no actor: the writer's thread calls it.
private func runWriter(_ writer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let writer else { return nil }
  Unmanaged<LogWriter>.fromOpaque(writer).takeRetainedValue().run()
  return nil
}
