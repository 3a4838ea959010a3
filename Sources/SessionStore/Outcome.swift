package import PINEntry

/// What a change of a session led to, as it is remembered for a retry: counts, never characters.
package struct Outcome: Sendable {
  package let state: SessionState
  package let eventID: UInt64
  /// What an insert or a set took.
  package let insertion: Insertion?
  package let details: Details?

  package init(state: SessionState, eventID: UInt64, insertion: Insertion?, details: Details?) {
    self.state = state
    self.eventID = eventID
    self.insertion = insertion
    self.details = details
  }

  /// What few answers have.
  package final class Details: Sendable {
    /// Of the rejection that the state tells of.
    package let message: String?
    /// The options as they were then.
    package let configuration: SessionConfiguration?

    package init(message: String?, configuration: SessionConfiguration?) {
      self.message = message
      self.configuration = configuration
    }
  }
}

/// All the options of a session.
package struct SessionConfiguration: Sendable {
  package let options: EntryOptions
  package let presentation: Presentation

  package init(options: EntryOptions, presentation: Presentation) {
    self.options = options
    self.presentation = presentation
  }
}

/// A change that was made before with the same key.
package struct Recalled: Sendable {
  package let key: Hash128
  /// Stands for the request that made it.
  package let request: Hash128
  package let outcome: Outcome
}
