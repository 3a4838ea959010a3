import PINEntry
import Testing

@testable import SessionStore

@Suite struct NotesTests {
  @Test func `a state tells the newest message that is not newer than itself`() {
    let notes = Notes()
    notes.add("wrong", at: 3, oldest: 1)
    notes.add("wrong again", at: 7, oldest: 1)
    #expect(notes.message(at: 2) == nil)
    #expect(notes.message(at: 3) == "wrong")
    #expect(notes.message(at: 6) == "wrong")
    #expect(notes.message(at: 8) == "wrong again")
  }

  @Test func `a message goes when the oldest event needs a newer one`() {
    let notes = Notes()
    for revision: UInt32 in 1...1000 { notes.add("wrong \(revision)", at: revision, oldest: max(revision, 256) - 255) }
    #expect(notes.message(at: 744) == nil)
    #expect(notes.message(at: 745) == "wrong 745")
    #expect(notes.message(at: 1000) == "wrong 1000")
  }

  @Test func `options are kept for the revision that they came with, as long as its event is`() {
    let notes = Notes()
    for length: UInt8 in 1...32 {
      let presentation = Presentation(label: "\(length)", style: StyleChoice(name: "boxes", options: []))
      let configuration = SessionConfiguration(options: EntryOptions(length: length), presentation: presentation)
      notes.add(configuration, at: UInt32(length) * 10, oldest: 100)
    }
    #expect(notes.configuration(at: 90) == nil)
    #expect(notes.configuration(at: 100)?.options.length == 10)
    #expect(notes.configuration(at: 101) == nil)
    #expect(notes.configuration(at: 320)?.presentation.label == "32")
  }
}
