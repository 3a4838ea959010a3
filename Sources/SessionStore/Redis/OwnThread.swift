internal import Glibc

/// A thread of the program's own, which runs one function.
struct OwnThread: Sendable {
  private let thread: pthread_t

  init(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let failure = pthread_create(&thread, nil, runWork, work.toOpaque())
    guard failure == 0 else { fatalError("no thread: \(SystemError(failure))") }
    self.thread = thread
  }

  /// Waits until it has ended; once.
  func join() { pthread_join(thread, nil) }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

// A constant at the top, as a closure elsewhere might belong to an actor.
private let runWork: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { work in
  if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
  return nil
}
