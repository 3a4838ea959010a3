/// What can happen to a session. The raw values are in the order in which the events of one edit are told.
package enum EventKind: UInt8, Sendable, CaseIterable {
  case configure, begin, change, delete, complete, end, hold, reject, close
}

/// Why an entry ended; `none` with every event but `end`.
package enum EndReason: UInt8, Sendable, CaseIterable {
  case none, ended, complete, timeout, closed
}

/// The events of one edit: each kind at most once, told in the order of the kinds.
package struct EventSet: Equatable, Sendable {
  private var bits: UInt16 = 0
  /// The reason of the `end` among them.
  package private(set) var endReason: EndReason = .none

  package init() {}

  package var isEmpty: Bool { bits == 0 }
  package var count: Int { bits.nonzeroBitCount }
  package func contains(_ kind: EventKind) -> Bool { bits & 1 << UInt16(kind.rawValue) != 0 }

  mutating func insert(_ kind: EventKind) { bits |= 1 << UInt16(kind.rawValue) }

  mutating func insertEnd(_ reason: EndReason) {
    insert(.end)
    endReason = reason
  }

  /// Calls `body` with each kind, in order.
  package func forEachKind(_ body: (EventKind) -> Void) {
    var rest = bits
    while rest != 0 {
      // The bits are set by raw value only, so each has its kind.
      if let kind = EventKind(rawValue: UInt8(rest.trailingZeroBitCount)) { body(kind) }
      rest &= rest &- 1
    }
  }
}

/// One event as a session's log keeps it: 24 bytes, from which its text can be made again at any time. Its id is its
/// place in the log.
package struct EventRecord: Equatable, Sendable {
  /// The state after the whole edit.
  package let state: SessionState
  package let kind: EventKind
  package let reason: EndReason

  package init(state: SessionState, kind: EventKind, reason: EndReason) {
    self.state = state
    self.kind = kind
    self.reason = reason
  }
}
