internal import PINEntry

/// The rare things that an event's record has no room for, by the revision at which they came to be. They are kept as
/// long as an event needs them.
struct Notes {
  private var messages: [(revision: UInt32, message: String)] = []
  private var configurations: [(revision: UInt32, options: EntryOptions, presentation: Presentation)] = []

  mutating func add(_ message: String, at revision: UInt32, oldest: UInt32) {
    messages.append((revision, message))
    // Each event needs the newest message that is not newer than itself.
    let needed = messages.lastIndex { $0.revision <= oldest } ?? 0
    messages.removeFirst(needed)
  }

  mutating func add(_ options: EntryOptions, _ presentation: Presentation, at revision: UInt32, oldest: UInt32) {
    configurations.append((revision, options, presentation))
    configurations.removeAll { $0.revision < oldest }
  }

  /// The message of the rejection that a state of this revision tells of.
  func message(at revision: UInt32) -> String? { messages.last { $0.revision <= revision }?.message }

  /// The options that a change at this revision led to.
  func configuration(at revision: UInt32) -> (EntryOptions, Presentation)? {
    configurations.first { $0.revision == revision }.map { ($0.options, $0.presentation) }
  }
}
