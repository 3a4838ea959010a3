/// What a session shows to those who watch it: counts and flags, never characters.
///
/// Numbers that only grow are 32 bits: at most a day of edits does not reach 2^32.
package struct SessionState: Equatable, Sendable {
  package let length: UInt8
  /// Characters in; kept when the session closes.
  package let count: UInt8
  package let status: Status
  private let flags: UInt8
  /// Rejections so far.
  package let attempts: UInt32
  /// How many times the entry has become complete.
  package let completion: UInt32
  /// Number of changes so far.
  package let revision: UInt32
  /// When the session expires, in seconds since 1970.
  package let expiresAt: UInt32

  package var active: Bool { flags & 1 != 0 }
  package var held: Bool { flags & 2 != 0 }
  /// Whether the last verdict was a rejection and the text has not changed since.
  package var rejected: Bool { flags & 4 != 0 }
  package var hasText: Bool { count > 0 }
  package var complete: Bool { count == length }

  package init(
    length: UInt8, count: UInt8, status: Status, active: Bool, held: Bool, rejected: Bool, attempts: UInt32,
    completion: UInt32, revision: UInt32, expiresAt: UInt32
  ) {
    self.length = length
    self.count = count
    self.status = status
    flags = (active ? 1 : 0) | (held ? 2 : 0) | (rejected ? 4 : 0)
    self.attempts = attempts
    self.completion = completion
    self.revision = revision
    self.expiresAt = expiresAt
  }
}
