/// What became of an access to a session.
public enum Accessed<Value: ~Copyable>: ~Copyable {
  case done(Value)
  /// There is no such session any more.
  case gone
  /// The store could not be reached, and nobody knows whether an edit was made.
  case unavailable
}

extension Accessed: Copyable where Value: Copyable {}
extension Accessed: Sendable where Value: Sendable & ~Copyable {}
