/// Why a session could not be created or found.
package enum StoreError: Error, Equatable, Sendable {
  /// There are as many sessions as there may be.
  case full
  /// There is no memory for its text that may be used: none at all, or none that can be locked although it must be.
  case noMemory
  /// The store could not be reached, and nobody knows whether it did what was asked.
  case unavailable
}

/// Whether the memory that holds digits must never be written to a swap device.
package enum MemoryLock: String, Sendable, CaseIterable {
  /// Memory that can't be locked is not used.
  case required
  /// Memory that can't be locked is used all the same.
  case preferred
}
