import Glibc

/// A file descriptor that has one owner, who closes it.
struct Descriptor: ~Copyable {
  let number: CInt

  init(_ number: CInt) { self.number = number }

  deinit { close(number) }

  /// Gives the descriptor away.
  consuming func release() -> CInt {
    let number = number
    discard self
    return number
  }
}
