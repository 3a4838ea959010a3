import PINEntry
import SessionStore
import TestSupport
import Testing

@testable import PINService

/// What those who have only a session's id can learn of the times at which it changes.
@Suite("Those who watch a grid") struct WatchersTests {
  @Test func `read at any time what the session was at the last point, and under equal tags the same`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix(state: seed)
    for step in [7, 100, 250, 700, 1000, 10_000] {
      for _ in 0..<2 { try watch(step: step, &random, "seed \(seed), step \(step)") }
    }
  }

  private func watch(step: Int, _ random: inout SplitMix, _ comment: String) throws {
    let options = EntryOptions(
      length: UInt8.random(in: 2...8, using: &random),
      timeouts: Timeouts(
        total: UInt32.random(in: 20...60, using: &random), firstInput: .random(in: 0...3, using: &random),
        interDigit: .random(in: 0...2, using: &random)))
    let test = try WatchedSession(step: step, options)
    var tags = Tags()
    let step = Int64(step)
    var point = (test.now / step + 1) * step
    // Nothing that comes before the first point was seen at one.
    for window in 0..<48 {
      test.move(to: point - 1)
      var expected = Look(test, test.all, &random)
      test.move(to: point)
      // A closed session goes at a point.
      if test.state(test.all) == nil { expected = Look(test, test.all, like: expected) }
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        test.move(to: min(point + step - 1, max(test.now, point) + .random(in: 0...max(1, step / 3), using: &random)))
        if window < 32 { edit(test, &random) }
        // Now and then more than a session keeps.
        if window < 32 && Int.random(in: 0..<20, using: &random) == 0 {
          for _ in 0..<Int.random(in: 100...300, using: &random) {
            test.edit { s, now throws(EditError) in try s.deleteBackward(at: now) }
          }
        }
        if Bool.random(using: &random) { _ = test.store.runTimers(at: Instant(milliseconds: test.now)) }
        let seen = Look(test, test.watched, like: expected)
        #expect(seen == expected, "\(comment), window \(window)")
        tags.check(test, comment)
        if seen != expected { return }
      }
      point += step
      // Some are watched until they go.
      if window == 32 && Bool.random(using: &random) { point += 299_000 / step * step }
    }
  }

  private func edit(_ test: WatchedSession, _ random: inout SplitMix) {
    let digits = (0..<Int.random(in: 1...3, using: &random)).map { _ in UInt8.random(in: 0x30...0x39, using: &random) }
    switch Int.random(in: 0..<44, using: &random) {
    case 0..<16: test.edit { s, now throws(EditError) in try s.insert(digits.span, at: now) }
    case 16..<24: test.edit { s, now throws(EditError) in try s.deleteBackward(at: now) }
    case 24..<26: test.edit { s, now throws(EditError) in try s.set(digits.span, at: now) }
    case 26..<28: test.edit { s, now throws(EditError) in try s.clear(at: now) }
    case 28..<30: test.edit { s, now throws(EditError) in try s.begin(at: now) }
    case 30..<32: test.edit { s, now throws(EditError) in try s.end(at: now) }
    case 32..<34: test.edit { s, now throws(EditError) in try s.redeem(hold: true, at: now) { _ in } }
    case 34..<36:
      test.edit(message: "wrong \(digits.count)") { s, now throws(EditError) in try s.reject(at: now) }
    case 36: test.edit { s, now throws(EditError) in try s.accept(at: now) }
    case 37..<39: test.configure { options, shown in (options, named("\(digits)", shown)) }
    case 39..<42:
      let length = UInt8.random(in: 1...10, using: &random)
      test.configure { options, shown in
        var options = options
        options.length = length
        return (options, shown)
      }
    case 42:
      test.configure { options, shown in
        var options = options
        options.reveal.toggle()
        return (options, shown)
      }
    default:
      if Int.random(in: 0..<8, using: &random) == 0 {
        test.edit { s, now throws(EditError) in try s.cancel(at: now) }
      }
    }
  }

  private func named(_ label: String, _ old: Presentation) -> Presentation {
    Presentation(label: label, style: old.style, metadata: old.metadata)
  }
}

/// All that a reader without a token can get of a session at one moment.
private struct Look: Equatable {
  let cursors: [String?]
  let state: Tagged?
  let picture: Tagged?
  /// Whether it is a picture with characters, which is not bound to the grid.
  let isShown: Bool
  let polls: [String?]
  let streams: [String?]

  /// With resume points of many kinds.
  init(_ test: WatchedSession, _ service: PINService, _ random: inout SplitMix) {
    var newest: UInt64 = 0
    if case .done(let id) = test.session.access({ $0.session.eventID }) { newest = id }
    let near = [0, 1, 255, 256].map { newest >= $0 ? "\(newest - $0)" : "0" }
    let beyond = ["\(newest + 1)", "x"]
    self.init(test, service, near + beyond + ["\(UInt64.random(in: 0...newest + 3, using: &random))", nil])
  }

  static func == (a: Look, b: Look) -> Bool {
    a.state == b.state && (a.picture == b.picture || a.isShown) && a.polls == b.polls && a.streams == b.streams
  }

  init(_ test: WatchedSession, _ service: PINService, like other: Look) { self.init(test, service, other.cursors) }

  private init(_ test: WatchedSession, _ service: PINService, _ cursors: [String?]) {
    self.cursors = cursors
    state = test.state(service)
    let drawn = test.picture(service, width: 300)
    picture = drawn?.picture
    isShown = drawn?.isShown ?? false
    polls = cursors.map { test.poll(service, after: $0) }
    streams = cursors.map { test.stream(service, from: $0) }
  }
}

/// Which bodies came with which tags, to readers with and without a token.
private struct Tags {
  private var states: [String: String] = [:]
  private var pictures: [String: String] = [:]

  mutating func check(_ test: WatchedSession, _ comment: String) {
    if let state = test.state(test.watched) { Self.check(state, in: &states, comment) }
    for service in [test.watched, test.all] {
      if let picture = test.picture(service, width: 200) { Self.check(picture.picture, in: &pictures, comment) }
    }
  }

  private static func check(_ answer: Tagged, in bodies: inout [String: String], _ comment: String) {
    if let body = bodies[answer.tag] {
      #expect(answer.body == body, "\(comment), tag \(answer.tag)")
    } else {
      bodies[answer.tag] = answer.body
    }
  }
}
