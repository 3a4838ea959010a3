internal import PINEntry

/// What a store outside of this process keeps of one session, but for its text, its events and what it remembers.
///
/// Layout: version, stamp, stamp of the newest events, the session's fields, then tagged parts. A program that does not
/// know a part keeps it as it is, so that nodes of two versions can share a session; a change that older ones could not
/// bear gets a new version.
struct SessionRecord {
  /// Names one writing of the record: a random number, so that the same one is never met in two histories.
  var stamp: UInt64
  /// The stamp of the writing that made the newest event.
  var eventStamp: UInt64
  var kept: KeptSession
  var presentation: Presentation
  var messages: [Notes.Message] = []
  var configurations: [Notes.Configuration] = []
  /// The text, sealed to whom the session was created for.
  var sealed: [UInt8]?
  /// What the session was at a point of the grid; its log is not written.
  var past: Past?
  /// Parts that a newer program wrote, with their tags and counts.
  var unknown: [UInt8] = []

  static let version: UInt8 = 1

  /// Where the stamp is, for whoever compares only that.
  static let stampPlace = 1...8

  private enum Tag: UInt8 {
    case presentation = 1
    case messages, configurations, sealed, past
  }

  func write(to out: inout PackedWriter) {
    out.append(Self.version)
    out.append(stamp)
    out.append(eventStamp)
    out.append(kept)
    out.appendSection(Tag.presentation.rawValue) { $0.append(presentation) }
    if !messages.isEmpty {
      out.appendSection(Tag.messages.rawValue) { out in
        out.append(messages) { out, note in
          out.append(note.revision)
          out.append(note.message)
        }
      }
    }
    if !configurations.isEmpty {
      out.appendSection(Tag.configurations.rawValue) { out in
        out.append(configurations) { out, note in
          out.append(note.revision)
          out.append(note.configuration)
        }
      }
    }
    if let sealed { out.appendSection(Tag.sealed.rawValue) { $0.append(raw: sealed) } }
    if let past {
      out.appendSection(Tag.past.rawValue) { $0.append(past, of: kept.options, presentation) }
    }
    out.append(raw: unknown)
  }

  /// Reads what `write` wrote.
  init(_ bytes: UnsafeRawBufferPointer) throws(RecordError) {
    var reader = PackedReader(bytes)
    guard try reader.number(UInt8.self) == Self.version else { throw .newer }
    stamp = try reader.number()
    eventStamp = try reader.number()
    kept = try reader.keptSession()
    var presentation: Presentation?
    while !reader.isAtEnd {
      let (tag, content) = try reader.section()
      var part = PackedReader(content)
      switch Tag(rawValue: tag) {
      case .presentation: presentation = try part.presentation()
      case .messages:
        messages = try part.list { reader throws(RecordError) in
          Notes.Message(revision: try reader.number(), message: try reader.text())
        }
      case .configurations:
        configurations = try part.list { reader throws(RecordError) in
          Notes.Configuration(revision: try reader.number(), configuration: try reader.configuration())
        }
      case .sealed: sealed = Array(content)
      case .past:
        guard let presentation else { throw .damaged }
        past = try part.past(of: kept.options, presentation)
      case nil:
        var writer = PackedWriter(capacity: content.count + 5)
        writer.appendSection(tag) { $0.append(raw: content) }
        unknown += writer.bytes
      }
    }
    guard let presentation else { throw .damaged }
    self.presentation = presentation
  }

  init(stamp: UInt64, eventStamp: UInt64, kept: KeptSession, presentation: Presentation) {
    self.stamp = stamp
    self.eventStamp = eventStamp
    self.kept = kept
    self.presentation = presentation
  }
}

extension PackedWriter {
  fileprivate mutating func append(_ kept: KeptSession) {
    append(kept.id)
    append(kept.nonce)
    append(kept.createdAt.milliseconds)
    append(kept.createdOn)
    append(kept.options)
    append(kept.status.rawValue)
    append(kept.count)
    append(UInt8(kept.active ? 1 : 0) | UInt8(kept.held ? 2 : 0) | UInt8(kept.rejected ? 4 : 0))
    append(kept.attempts)
    append(kept.completion)
    append(kept.revision)
    append(kept.changedAt)
    append(kept.eventID)
    append(kept.pause.rawValue)
    append(kept.since.milliseconds)
  }
}

extension PackedReader {
  fileprivate mutating func keptSession() throws(RecordError) -> KeptSession {
    let (id, nonce) = (try id(), try id())
    let createdAt = Instant(milliseconds: try number())
    var kept = KeptSession(
      id: id, nonce: nonce, options: EntryOptions(), createdAt: createdAt, createdOn: try number(), since: createdAt)
    kept.options = try options()
    kept.status = try choice()
    kept.count = try number()
    let flags: UInt8 = try number()
    kept.active = flags & 1 != 0
    kept.held = flags & 2 != 0
    kept.rejected = flags & 4 != 0
    kept.attempts = try number()
    kept.completion = try number()
    kept.revision = try number()
    kept.changedAt = try number()
    kept.eventID = try number()
    kept.pause = try choice()
    kept.since = Instant(milliseconds: try number())
    guard kept.count <= kept.options.length else { throw .damaged }
    return kept
  }
}
