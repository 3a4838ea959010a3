import Glibc

/// A thread of the system's, that can be waited for.
final class Thread {
  private var id: pthread_t = 0

  init(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Box(body))
    pthread_create(&id, nil, runBox, box.toOpaque())
  }

  func join() { pthread_join(id, nil) }
}

private final class Box: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runBox(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().body() }
  return nil
}
