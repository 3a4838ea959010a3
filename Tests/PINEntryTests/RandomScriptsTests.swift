import Glibc
import PINEntry
import TestSupport
import Testing

/// Random scripts of edits, each made on a session and on the naive model: answers, events, state and text are equal
/// after every step.
@Suite struct RandomScriptsTests {
  @Test func `10,000 random scripts do to a session what they do to a naive model`() throws {
    let seed = getenv("TEST_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: 0 ... .max)
    print("TEST_SEED=\(seed) repeats these scripts")
    for number in 0..<UInt64(10_000) {
      var script = Script(seed: seed &+ number)
      let difference = script.run()
      try #require(difference == nil, "TEST_SEED=\(seed &+ number): \(difference ?? "")")
    }
  }
}

/// One random script on both.
private struct Script {
  private var random: SplitMix
  private var entry: Entry
  private var naive: NaiveEntry
  private var steps: [String] = []

  init(seed: UInt64) {
    random = SplitMix(state: seed)
    naive = NaiveEntry(
      length: .random(in: 1...8, using: &random), letters: Int.random(in: 0..<4, using: &random) == 0,
      refusesOverflow: .random(using: &random), endsOnComplete: .random(using: &random),
      maxAttempts: .random(in: 0...3, using: &random), total: .random(in: 5...120, using: &random),
      firstInput: .random(in: 0...5, using: &random), interDigit: .random(in: 0...5, using: &random))
    entry = Entry(naive.entryOptions)
    if Int.random(in: 0..<20, using: &random) == 0 {
      naive.length = 32
      entry = Entry(naive.entryOptions)
    }
    steps.append("\(naive.entryOptions)")
  }

  /// What differs, with the steps that led to it; nil if nothing does.
  mutating func run() -> String? {
    for _ in 0..<Int.random(in: 1...60, using: &random) {
      let old = naive
      let (expected, actual) = step()
      entry.wait(seconds: 0)
      naive.wait(halfSeconds: 0)
      if let difference = difference(expected, actual, old) { return report(difference) }
    }
    return brokenInvariant().map(report)
  }

  private func report(_ mistake: String) -> String { "\(mistake), after\n  \(steps.joined(separator: "\n  "))" }

  private func difference(_ expected: String, _ actual: String, _ old: NaiveEntry) -> String? {
    if actual != expected { return "answered “\(actual)”, not “\(expected)”" }
    if entry.told != naive.told { return "told \(entry.told), not \(naive.told)" }
    if entry.session.state != naive.state { return "is \(entry.session.state), not \(naive.state)" }
    if entry.session.eventID != UInt64(naive.eventID) { return "eventID is not \(naive.eventID)" }
    if entry.text != naive.text { return "text is “\(entry.text)”, not “\(naive.text)”" }
    if entry.session.isOver(at: entry.now) != naive.isOver { return "is over, or not, and should be otherwise" }
    if naive.status == "open", entry.session.deadline <= entry.now { return "the deadline has passed" }
    let edits = entry.told.dropFirst(old.told.count)
    if entry.session.state.rejected, edits.contains(where: { $0.contains("change") && !$0.contains("reject") }) {
      return "the error outlived a change"
    }
    return nil
  }

  /// What holds of any script, whatever the naive model says.
  private func brokenInvariant() -> String? {
    if Int(entry.session.revision) != entry.told.count { return "the revision is not the number of edits told of" }
    let events = entry.told.flatMap { $0.split(separator: " ") }
    if entry.session.eventID != UInt64(events.count) { return "event ids have a gap" }
    if Int(entry.session.completion) != events.count(where: { $0 == "complete" }) {
      return "completion is not the number of completes"
    }
    if (entry.session.status != .open) != (events.last == "close") || events.dropLast().contains("close") {
      return "close is not the last of all, once"
    }
    return nil
  }

  private mutating func step() -> (expected: String, actual: String) {
    let stale = Int.random(in: 0..<12, using: &random) == 0
    let match: RevisionMatch =
      stale
      ? .oneOf([entry.session.revision &+ 1])
      : Bool.random(using: &random) ? .any : .oneOf([99, entry.session.revision])
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<34: return insert(match, stale)
    case 34..<42: return set(match, stale)
    case 42..<54: return delete(match, stale)
    case 54..<57:
      steps.append("clear")
      return (naive.clear(ifStale: stale), answer { entry throws(EditError) in try entry.clear(if: match) })
    case 57..<62:
      steps.append("begin")
      return (naive.begin(ifStale: stale), answer { entry throws(EditError) in try entry.begin(if: match) })
    case 62..<66:
      steps.append("end")
      return (naive.end(ifStale: stale), answer { entry throws(EditError) in try entry.end(if: match) })
    case 66..<77: return redeem(match, stale)
    case 77..<84:
      steps.append("reject")
      return (naive.reject(ifStale: stale), answer { entry throws(EditError) in try entry.reject(if: match) })
    case 84..<86:
      steps.append("accept")
      return (naive.accept(ifStale: stale), answer { entry throws(EditError) in try entry.accept(if: match) })
    case 86:
      steps.append("cancel")
      return (naive.cancel(ifStale: stale), answer { entry throws(EditError) in try entry.cancel(if: match) })
    case 87..<92: return configure(match, stale)
    default: return wait()
    }
  }

  private mutating func insert(_ match: RevisionMatch, _ stale: Bool) -> (String, String) {
    let characters = randomCharacters(most: 4)
    let text = characters.map(\.sent).joined()
    let count = randomCount()
    steps.append("insert \(text.debugDescription) at \(count.map(String.init) ?? "any")")
    return (
      naive.insert(characters, at: count, ifStale: stale),
      taken { entry throws(EditError) in try entry.insert(text, at: count, if: match) }
    )
  }

  private mutating func set(_ match: RevisionMatch, _ stale: Bool) -> (String, String) {
    let characters = randomCharacters(most: Int.random(in: 0...10, using: &random))
    let text = characters.map(\.sent).joined()
    steps.append("set \(text.debugDescription)")
    return (
      naive.set(characters, ifStale: stale), taken { entry throws(EditError) in try entry.set(text, if: match) }
    )
  }

  private mutating func delete(_ match: RevisionMatch, _ stale: Bool) -> (String, String) {
    let count = randomCount()
    steps.append("delete at \(count.map(String.init) ?? "any")")
    return (
      naive.deleteBackward(at: count, ifStale: stale),
      answer { entry throws(EditError) in try entry.deleteBackward(at: count, if: match) }
    )
  }

  private mutating func redeem(_ match: RevisionMatch, _ stale: Bool) -> (String, String) {
    let hold = Int.random(in: 0..<5, using: &random) > 0
    steps.append("redeem, hold: \(hold)")
    let expected = naive.redeem(hold: hold, ifStale: stale)
    do throws(EditError) {
      return (expected, "text \(try entry.redeem(hold: hold, if: match))")
    } catch {
      return (expected, name(of: error))
    }
  }

  private mutating func configure(_ match: RevisionMatch, _ stale: Bool) -> (String, String) {
    var new = naive
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: new.length = .random(in: 1...8, using: &random)
      case 1: new.length = max(1, naive.text.count)
      case 2: new.letters.toggle()
      case 3: new.refusesOverflow.toggle()
      case 4: new.endsOnComplete.toggle()
      case 5: new.maxAttempts = .random(in: 0...3, using: &random)
      case 6: new.total = .random(in: 1...120, using: &random)
      default:
        new.firstInput = .random(in: 0...5, using: &random)
        new.interDigit = .random(in: 0...5, using: &random)
      }
    }
    let metadata = Int.random(in: 0..<4, using: &random) == 0
    let options = new.entryOptions
    steps.append("configure \(options), metadata: \(metadata)")
    let expected = naive.configure(metadata: metadata, ifStale: stale) { $0.takeOptions(of: new) }
    return (
      expected,
      answer { entry throws(EditError) in
        try entry.configure(presentationChanged: metadata, if: match) { $0 = options }
      }
    )
  }

  private mutating func wait() -> (String, String) {
    let halfSeconds =
      switch Int.random(in: 0..<20, using: &random) {
      case 0: [598, 599, 600, 601].randomElement(using: &random) ?? 600
      case 1..<4: Int.random(in: 0...60, using: &random)
      default: Int.random(in: 0...8, using: &random)
      }
    steps.append("wait \(halfSeconds) half seconds")
    naive.wait(halfSeconds: halfSeconds)
    entry.wait(milliseconds: Int64(halfSeconds) * 500)
    return ("", "")
  }

  private mutating func randomCount() -> Int? {
    switch Int.random(in: 0..<6, using: &random) {
    case 0..<3: nil
    case 3..<5: naive.shownCount
    default: Int.random(in: -1...9, using: &random)
    }
  }

  private mutating func randomCharacters(most: Int) -> [SentCharacter] {
    (0..<Int.random(in: 0...most, using: &random)).map { _ in
      let kinds = Int.random(in: 0..<40, using: &random) == 0 ? Self.refused : Self.characters
      return kinds.randomElement(using: &random) ?? SentCharacter("1", "1", "1")
    }
  }

  private static let characters =
    (0...9).map { SentCharacter("\($0)", "\($0)", "\($0)") } + [
      SentCharacter("٣", "3", "3"), SentCharacter("９", "9", "9"), SentCharacter("\u{1D7D8}", "0", "0"),
      SentCharacter(" ", "", ""), SentCharacter("-", "", ""), SentCharacter("\u{200B}", "", ""),
    ]

  private static let refused = [
    SentCharacter("a", nil, "A"), SentCharacter("Z", nil, "Z"), SentCharacter("²", nil, nil),
    SentCharacter("\u{301}", nil, nil), SentCharacter("🔑", nil, nil), SentCharacter("\u{0}", nil, nil),
  ]

  private mutating func answer(_ edit: (inout Entry) throws(EditError) -> Void) -> String {
    do throws(EditError) {
      try edit(&entry)
      return "ok"
    } catch {
      return name(of: error)
    }
  }

  private mutating func taken(_ edit: (inout Entry) throws(EditError) -> Insertion) -> String {
    do throws(EditError) {
      let insertion = try edit(&entry)
      return "took \(insertion.accepted) left \(insertion.truncated)"
    } catch {
      return name(of: error)
    }
  }

  private func name(of error: EditError) -> String {
    switch error {
    case .invalidCharacter(let index): "invalid \(index)"
    case .overflow(let room): "overflow \(room)"
    case .closed, .stale, .held, .outOfPosition, .full, .incomplete, .notHeld, .lengthBelowCount, .alphabetWithText,
      .sealed:
      "\(error)"
    }
  }
}

extension NaiveEntry {
  /// Its options in the words of the code under test.
  fileprivate var entryOptions: EntryOptions {
    EntryOptions(
      length: UInt8(length), alphabet: letters ? .alphanumeric : .digits,
      overflow: refusesOverflow ? .reject : .truncate,
      endsOnComplete: endsOnComplete, maxAttempts: UInt8(maxAttempts),
      timeouts: Timeouts(total: UInt32(total), firstInput: UInt32(firstInput), interDigit: UInt32(interDigit)))
  }

  /// Its state in the words of the code under test.
  fileprivate var state: SessionState {
    SessionState(
      length: UInt8(length), count: UInt8(shownCount), status: Status.allCases.first { "\($0)" == status } ?? .open,
      active: active, held: held, rejected: rejected, attempts: UInt32(attempts), completion: UInt32(completion),
      revision: UInt32(revision), expiresAt: 1_000_000 + UInt32(total))
  }

  fileprivate mutating func takeOptions(of other: NaiveEntry) {
    length = other.length
    letters = other.letters
    refusesOverflow = other.refusesOverflow
    endsOnComplete = other.endsOnComplete
    maxAttempts = other.maxAttempts
    total = other.total
    firstInput = other.firstInput
    interDigit = other.interDigit
  }
}
