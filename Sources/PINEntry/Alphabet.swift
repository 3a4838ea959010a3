/// Which characters an entry takes.
package enum Alphabet: UInt8, Sendable, CaseIterable {
  /// `0`–`9`.
  case digits
  /// `A`–`Z` and `0`–`9`; `a`–`z` are taken as `A`–`Z`.
  case alphanumeric
}

/// What an insert longer than the room left does.
package enum Overflow: UInt8, Sendable, CaseIterable {
  /// Fills the room and reports the rest.
  case truncate
  /// Refuses the insert whole.
  case reject
}
