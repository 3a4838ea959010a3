package import PINEntry

/// Whose creation it is, and by which key.
package struct CreationKey: Hashable, Sendable {
  private let owner: Hash128
  private let key: Hash128

  package init(owner: Hash128, key: Hash128) {
    self.owner = owner
    self.key = key
  }
}

extension CreationKey {
  /// 64 hexadecimal digits.
  var text: String {
    [owner.high, owner.low, key.high, key.low].map { number in
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// What became of a creation with a key.
package enum CreatedOnce: Sendable {
  /// It was made now, or before by the same request.
  case created(Creation)
  /// The key came with another request before.
  case otherRequest
  case unavailable
}

/// A creation as it can be answered again: the tokens are made anew from id and nonce.
package struct Creation: Sendable {
  package let id: SessionID
  package let nonce: SessionID
  /// In seconds since 1970.
  package let createdOn: UInt32
  package let configuration: SessionConfiguration
  /// Whether it was answered before.
  package private(set) var isReplay = false

  package init(id: SessionID, nonce: SessionID, createdOn: UInt32, configuration: SessionConfiguration) {
    self.id = id
    self.nonce = nonce
    self.createdOn = createdOn
    self.configuration = configuration
  }

  /// The same, answered before.
  var again: Creation {
    var creation = self
    creation.isReplay = true
    return creation
  }
}

/// The creations that may be asked for again: those of the last ten minutes, and no more than a fixed number.
package final class CreationMemory: Sendable {
  private let clock: Clock
  private let maximum: Int
  private let state = Locked(State())

  private struct Entry {
    let request: Hash128
    let creation: Creation
    let expires: Instant
  }

  private struct State {
    var entries: [CreationKey: Entry] = [:]
    /// The keys from the oldest on; before `first` they are gone.
    var order: [CreationKey] = []
    var first = 0
  }

  package init(clock: Clock, maximum: Int = 100_000) {
    self.clock = clock
    self.maximum = maximum
  }

  /// Creates, or gives again what was created with the key; nil if the key came with another request. Of two at once
  /// with one key the second waits for the first.
  package func once<E: Error>(
    _ key: CreationKey, request: Hash128, _ create: () throws(E) -> Creation
  ) throws(E) -> Creation? {
    try state.withLock { state throws(E) in
      let now = clock.now()
      forget(&state) { $1.expires <= now }
      if let entry = state.entries[key] {
        return entry.request == request ? entry.creation.again : nil
      }
      let creation = try create()
      forget(&state) { state, _ in state.entries.count >= maximum }
      state.entries[key] = Entry(request: request, creation: creation, expires: now.adding(seconds: 600))
      state.order.append(key)
      return creation
    }
  }

  /// Forgets from the oldest on, as long as `isDue`.
  private func forget(_ state: inout State, while isDue: (borrowing State, Entry) -> Bool) {
    while state.first < state.order.count {
      let key = state.order[state.first]
      if let entry = state.entries[key], !isDue(state, entry) { break }
      state.entries[key] = nil
      state.first += 1
    }
    if state.first > state.order.count / 2 {
      state.order.removeFirst(state.first)
      state.first = 0
    }
  }
}
