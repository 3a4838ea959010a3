import MicroHTTP
import SessionStore

/// Who may make a request.
enum Access: Sendable {
  /// Whoever has the session's id.
  case watch
  /// A keypad, or the owner.
  case type
  /// The owner only.
  case own

  func check(_ role: Role?) throws(Problem) {
    switch (self, role) {
    case (.watch, _), (.type, .entry?), (.type, .owner?), (.own, .owner?): return
    case (.type, nil), (.own, nil):
      throw Problem(.unauthorized, "This needs one of the session's tokens.", extra: .challenge(nil))
    case (.own, .entry?):
      throw Problem(.forbidden, "This needs the session's owner token.", extra: .challenge("insufficient_scope"))
    }
  }
}
