import PINEntry
import SessionStore
import Testing

/// What a session keeps of its past: events, messages, options.
@Suite struct HistoryTests {
  @Test func `a session keeps its newest 256 events`() throws {
    let test = try TestStore()
    let session = try test.create()
    for _ in 0..<255 { _ = try session.edit { s, now throws(EditError) in try s.deleteBackward(at: now) } }
    #expect(session.use { $0.firstEventID } == 1)
    try session.insert("1")
    session.use { access in
      #expect(access.session.eventID == 257)
      #expect(access.firstEventID == 2)
      #expect(access.event(1) == nil)
      #expect(access.event(2)?.state.revision == 2)
      #expect(access.event(256)?.kind == .begin)
      #expect(access.event(257)?.kind == .change)
      #expect(access.event(258) == nil)
      #expect(access.events.count == 256)
    }
  }

  @Test func `whatever the number of events, the log has them in order and without a gap`() throws {
    let test = try TestStore()
    let session = try test.create(EntryOptions(length: 1))
    for edit in 0..<600 {
      if edit % 3 == 0 {
        _ = try session.edit { s, now throws(EditError) in try s.set([0x31].span, at: now) }
      } else {
        _ = try session.edit { s, now throws(EditError) in try s.deleteBackward(at: now) }
      }
      session.use { access in
        let newest = access.session.eventID
        #expect(access.firstEventID == (newest > 256 ? newest - 255 : 1))
        let revisions = access.events.map(\.state.revision)
        #expect(revisions.count == Int(newest - access.firstEventID + 1))
        #expect(zip(revisions, revisions.dropFirst()).allSatisfy { $1 == $0 || $1 == $0 + 1 })
        #expect(revisions.last == access.session.revision)
      }
    }
  }

  @Test func `there is no event 0, and none before the first`() throws {
    let test = try TestStore()
    let session = try test.create()
    session.use { access in
      #expect(access.firstEventID == 1)
      #expect(access.event(0) == nil && access.event(1) == nil && access.event(.max) == nil)
    }
  }

  @Test func `an event tells the message of its own rejection`() throws {
    let test = try TestStore()
    let session = try test.create(EntryOptions(length: 1))
    for message in ["one", "", "three"] {
      try session.insert("1")
      try session.redeem(hold: true)
      _ = try session.edit(message: message) { s, now throws(EditError) in try s.reject(at: now) }
    }
    session.use { access in
      let rejects = access.events.filter { $0.kind == .reject }
      #expect(rejects.map { access.message(at: $0.state.revision) } == ["one", "", "three"])
    }
  }

  @Test func `a message stays for as long as the error, however many events come`() throws {
    let test = try TestStore()
    let session = try test.create(EntryOptions(length: 1))
    try session.insert("1")
    try session.redeem(hold: true)
    _ = try session.edit(message: "No") { s, now throws(EditError) in try s.reject(at: now) }
    for _ in 0..<300 { _ = try session.edit { s, now throws(EditError) in try s.deleteBackward(at: now) } }
    session.use { access in
      #expect(access.session.rejected)
      #expect(access.event(access.firstEventID).map { access.message(at: $0.state.revision) } == "No")
      #expect(access.message(at: access.session.revision) == "No")
    }
  }

  @Test func `a configure event tells the options of its own time`() throws {
    let test = try TestStore()
    let session = try test.create()
    let other = Presentation(label: "Code", style: StyleChoice(name: "code", options: []))
    try configure(session, length: 7, nil)
    try configure(session, length: 8, other)
    session.use { access in
      let told = access.events.compactMap { access.configuration(at: $0.state.revision) }
      #expect(told.map(\.0.length) == [7, 8])
      #expect(told.map(\.1.label) == ["PIN", "Code"])
      #expect(access.presentation == other)
    }
  }

  @Test func `a refused change of options leaves the presentation as it was`() throws {
    let test = try TestStore()
    let session = try test.create()
    try session.insert("12345")
    let other = Presentation(label: "Code", style: StyleChoice(name: "code", options: []))
    #expect(throws: EditError.lengthBelowCount) { try configure(session, length: 1, other) }
    #expect(session.use { $0.presentation } == presentation)
  }

  private func configure(
    _ session: SessionHandle, length: UInt8, _ presentation: Presentation?
  ) throws(EditError) {
    _ = try session.use { access throws(EditError) in
      let now = access.now
      try access.apply(presentation: presentation) { session throws(EditError) in
        var options = session.options
        options.length = length
        try session.configure(options, presentationChanged: presentation != nil, at: now)
      }
    }
  }
}
