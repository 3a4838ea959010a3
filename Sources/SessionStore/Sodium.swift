internal import CSodium

/// libsodium has to be made ready before its random numbers may be asked for by several threads, and before it uses
/// the fast forms of its functions.
enum Sodium {
  private static let isReady = sodium_init() >= 0

  /// To be called before anything else of libsodium's; costs nothing again.
  static func start() {
    // It fails only where there are no random numbers, and then there can be no ids and no tokens.
    guard isReady else { fatalError("libsodium could not be started") }
  }

  /// Wipes what callees have left on the stack, before a thread of our own sleeps or an answer is
  /// written: they may have worked with digits.
  static func wipeStack() { sodium_stackzero(16_384) }
}
