internal import PINEntry

/// What few sessions have, and an event's record has no room for; made on first use.
final class Notes {
  private(set) var messages: [Message] = []
  private(set) var configurations: [Configuration] = []
  /// The newest changes that were made with a key, from the oldest on.
  private(set) var remembered: [Recalled] = []
  /// How many changes were remembered, those that are forgotten among them.
  private(set) var rememberedCount = 0
  /// The text, sealed to whom the session was created for.
  var sealed: [UInt8]?
  /// What the session was at the last point of a grid at which it has changed since.
  var past: Past?
  /// The events that are lost although they were told, after a store had to go back to an older state of the session;
  /// and how many readers of them are still to be told so.
  var lost: (events: ClosedRange<UInt64>, readers: Int)?

  /// The message of the rejection that a change was.
  struct Message {
    let revision: UInt32
    let message: String
  }

  /// The options that a change led to.
  struct Configuration {
    let revision: UInt32
    let configuration: SessionConfiguration
  }

  init() {}

  init(messages: [Message], configurations: [Configuration], remembered: [Recalled]) {
    self.messages = messages
    self.configurations = configurations
    self.remembered = remembered
  }

  /// The same, to be changed apart.
  func copy() -> Notes {
    let copy = Notes(messages: messages, configurations: configurations, remembered: remembered)
    copy.rememberedCount = rememberedCount
    copy.lost = lost
    copy.past = past
    copy.sealed = sealed
    return copy
  }

  /// Remembers a change, and forgets the oldest if there are too many.
  func remember(_ change: Recalled) {
    if remembered.count == SessionAccess.rememberedMaximum { remembered.removeFirst() }
    remembered.append(change)
    rememberedCount += 1
  }

  func takeLoss(after id: UInt64) -> Bool {
    guard let lost, lost.events.contains(id) else { return false }
    self.lost = lost.readers > 1 ? (lost.events, lost.readers - 1) : nil
    return true
  }

  func forgetRemembered() { remembered = [] }

  /// Keeps the message of a rejection as long as an event needs it.
  func add(_ message: String, at revision: UInt32, oldest: UInt32) {
    messages.append(Message(revision: revision, message: message))
    // Each event needs the newest message that is not newer than itself.
    let needed = messages.lastIndex { $0.revision <= oldest } ?? 0
    messages.removeFirst(needed)
  }

  /// Keeps the options that a change led to as long as an event needs them.
  func add(_ configuration: SessionConfiguration, at revision: UInt32, oldest: UInt32) {
    configurations.append(Configuration(revision: revision, configuration: configuration))
    configurations.removeAll { $0.revision < oldest }
  }

  /// The message of the rejection that a state of this revision tells of.
  func message(at revision: UInt32) -> String? { messages.last { $0.revision <= revision }?.message }

  /// The options that a change at this revision led to.
  func configuration(at revision: UInt32) -> SessionConfiguration? {
    configurations.first { $0.revision == revision }?.configuration
  }
}
