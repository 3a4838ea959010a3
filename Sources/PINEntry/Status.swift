/// Whether a session is in use, and if not, how it closed.
package enum Status: UInt8, Sendable, CaseIterable {
  case open, redeemed, accepted, locked, cancelled, expired
}
