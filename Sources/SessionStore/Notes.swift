internal import PINEntry

/// What few sessions have, and an event's record has no room for; made on first use.
final class Notes {
  private var messages: [(revision: UInt32, message: String)] = []
  private var configurations: [(revision: UInt32, configuration: SessionConfiguration)] = []
  /// The newest changes that were made with a key, from the oldest on.
  var remembered: [Recalled] = []

  /// Keeps the message of a rejection as long as an event needs it.
  func add(_ message: String, at revision: UInt32, oldest: UInt32) {
    messages.append((revision, message))
    // Each event needs the newest message that is not newer than itself.
    let needed = messages.lastIndex { $0.revision <= oldest } ?? 0
    messages.removeFirst(needed)
  }

  /// Keeps the options that a change led to as long as an event needs them.
  func add(_ configuration: SessionConfiguration, at revision: UInt32, oldest: UInt32) {
    configurations.append((revision, configuration))
    configurations.removeAll { $0.revision < oldest }
  }

  /// The message of the rejection that a state of this revision tells of.
  func message(at revision: UInt32) -> String? { messages.last { $0.revision <= revision }?.message }

  /// The options that a change at this revision led to.
  func configuration(at revision: UInt32) -> SessionConfiguration? {
    configurations.first { $0.revision == revision }?.configuration
  }
}
