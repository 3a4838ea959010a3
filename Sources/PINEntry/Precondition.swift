/// What the sender of an edit believes of the session; a wrong belief refuses the edit.
package struct Precondition: Equatable, Sendable {
  /// The revision, from `If-Match`.
  package var revision: RevisionMatch
  /// The number of characters in, from `at`.
  package var count: Int?

  package init(revision: RevisionMatch = .any, count: Int? = nil) {
    self.revision = revision
    self.count = count
  }

  package static let none = Precondition()
}

/// Which revisions a sender accepts.
package enum RevisionMatch: Equatable, Sendable {
  case any
  case oneOf([UInt32])

  package func accepts(_ revision: UInt32) -> Bool {
    switch self {
    case .any: true
    case .oneOf(let revisions): revisions.contains(revision)
    }
  }
}
