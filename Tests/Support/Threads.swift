import Glibc

/// Runs `body` on so many threads at once, and returns when all have ended. Threads, not tasks: what is
/// tested is called from threads that the service does not make, and a lock must not be held up by a pool.
package func inParallel(threads: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let running = (0..<threads).map { number in
    let work = Unmanaged.passRetained(Work { body(number) })
    var thread = pthread_t()
    let failure = pthread_create(&thread, nil, runWork, work.toOpaque())
    precondition(failure == 0, "no thread")
    return thread
  }
  for thread in running { pthread_join(thread, nil) }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private let runWork: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { work in
  if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
  return nil
}
