/// The rules of an entry once more, as simply as they can be said: the text is a `String`, time is counted in half
/// seconds one by one, and nothing is shared with the code under test.
struct NaiveEntry {
  var text = ""
  var shownCount = 0
  var length: Int
  var letters: Bool
  var refusesOverflow: Bool
  var endsOnComplete: Bool
  var maxAttempts: Int
  /// In seconds; 0: none.
  var total: Int, firstInput: Int, interDigit: Int

  var status = "open"
  var active = false, held = false, rejected = false
  var attempts = 0, completion = 0, revision = 0, eventID = 0
  /// Half seconds since the creation, and since it closed.
  var age = 0, closedFor = 0
  /// Half seconds since `begin`, while the first input is waited for.
  var sinceBegin: Int?
  /// Half seconds since a change, while the next is waited for.
  var sinceChange: Int?

  var told: [String] = []
  private var fired: Set<String> = []

  /// What an edit answers: `ok`, the numbers taken and left, a redeemed text, or the name of a refusal.
  typealias Answer = String

  init(
    length: Int, letters: Bool, refusesOverflow: Bool, endsOnComplete: Bool, maxAttempts: Int, total: Int,
    firstInput: Int, interDigit: Int
  ) {
    self.length = length
    self.letters = letters
    self.refusesOverflow = refusesOverflow
    self.endsOnComplete = endsOnComplete
    self.maxAttempts = maxAttempts
    self.total = total
    self.firstInput = firstInput
    self.interDigit = interDigit
  }

  var isOver: Bool { status != "open" && closedFor >= 600 }

  // MARK: Time

  mutating func wait(halfSeconds: Int) {
    fireDue()
    for _ in 0..<halfSeconds {
      age += 1
      if status != "open" { closedFor += 1 }
      sinceBegin = sinceBegin.map { $0 + 1 }
      sinceChange = sinceChange.map { $0 + 1 }
      fireDue()
    }
  }

  private mutating func fireDue() {
    guard status == "open" else { return }
    if age >= 2 * total {
      closeAs("expired", reason: "timeout")
      tell()
    } else if let since = sinceBegin, firstInput > 0, since >= 2 * firstInput {
      becomeInactive("timeout")
      tell()
    } else if let since = sinceChange, interDigit > 0, since >= 2 * interDigit {
      becomeInactive("timeout")
      tell()
    }
  }

  // MARK: Edits

  mutating func begin(ifStale stale: Bool) -> Answer {
    if let no = refusal(stale: stale) { return no }
    if !active { becomeActive() }
    return tell()
  }

  mutating func end(ifStale stale: Bool) -> Answer {
    if let no = refusal(stale: stale) { return no }
    if active { becomeInactive("ended") }
    return tell()
  }

  mutating func insert(_ characters: [SentCharacter], at count: Int?, ifStale stale: Bool) -> Answer {
    if let index = characters.firstIndex(where: { $0.reading(letters) == nil }) { return "invalid \(index)" }
    if let no = refusal(stale: stale, at: count) { return no }
    let sent = characters.compactMap { $0.reading(letters) }.joined()
    if sent.isEmpty { return "took 0 left 0" }
    if text.count == length { return "full" }
    if text.count + sent.count > length && refusesOverflow { return "overflow \(length - text.count)" }
    let old = text.count
    replace(by: String((text + sent).prefix(length)))
    let taken = text.count - old
    tell()
    return "took \(taken) left \(sent.count - taken)"
  }

  mutating func set(_ characters: [SentCharacter], ifStale stale: Bool) -> Answer {
    if let index = characters.firstIndex(where: { $0.reading(letters) == nil }) { return "invalid \(index)" }
    if let no = refusal(stale: stale) { return no }
    let sent = characters.compactMap { $0.reading(letters) }.joined()
    if sent.count > length && refusesOverflow { return "overflow \(length)" }
    if !(text.isEmpty && sent.isEmpty) { replace(by: String(sent.prefix(length)), whole: true) }
    tell()
    return "took \(text.count) left \(sent.count - text.count)"
  }

  mutating func deleteBackward(at count: Int?, ifStale stale: Bool) -> Answer {
    if let no = refusal(stale: stale, at: count) { return no }
    if !text.isEmpty { replace(by: String(text.dropLast())) }
    fired.insert("delete")
    return tell()
  }

  mutating func clear(ifStale stale: Bool) -> Answer {
    if let no = refusal(stale: stale) { return no }
    if !text.isEmpty { replace(by: "") }
    return tell()
  }

  // MARK: Owning

  mutating func redeem(hold: Bool, ifStale stale: Bool) -> Answer {
    if status != "open" { return "closed" }
    if stale { return "stale" }
    if text.count < length { return "incomplete" }
    let handed = text
    if !hold {
      closeAs("redeemed")
    } else if !held {
      held = true
      fired.insert("hold")
    }
    tell()
    return "text \(handed)"
  }

  mutating func accept(ifStale stale: Bool) -> Answer {
    if status != "open" { return "closed" }
    if stale { return "stale" }
    if !held { return "notHeld" }
    closeAs("accepted")
    return tell()
  }

  mutating func reject(ifStale stale: Bool) -> Answer {
    if status != "open" { return "closed" }
    if stale { return "stale" }
    if !held { return "notHeld" }
    held = false
    text = ""
    shownCount = 0
    sinceBegin = nil
    sinceChange = active ? 0 : nil
    attempts += 1
    rejected = true
    fired.formUnion(["change", "reject"])
    if maxAttempts > 0 && attempts >= maxAttempts { closeAs("locked") }
    return tell()
  }

  mutating func cancel(ifStale stale: Bool) -> Answer {
    if status == "cancelled" { return "ok" }
    if status != "open" { return "closed" }
    if stale { return "stale" }
    closeAs("cancelled")
    return tell()
  }

  mutating func configure(metadata: Bool, ifStale stale: Bool, _ change: (inout NaiveEntry) -> Void) -> Answer {
    if status != "open" { return "closed" }
    if stale { return "stale" }
    if held { return "held" }
    var new = self
    change(&new)
    if new.length < text.count { return "lengthBelowCount" }
    if new.letters != letters && !text.isEmpty { return "alphabetWithText" }
    guard metadata || new.options != options else { return "ok" }
    let wasFull = text.count == length
    self = new
    fired.insert("configure")
    let isFull = text.count == length
    if isFull && !wasFull { complete() }
    if wasFull && !isFull && active { sinceChange = 0 }
    if age >= 2 * total { closeAs("expired", reason: "timeout") }
    return tell()
  }

  // MARK: Parts

  private var options: [Int] {
    [
      length, letters ? 1 : 0, refusesOverflow ? 1 : 0, endsOnComplete ? 1 : 0, maxAttempts, total, firstInput,
      interDigit,
    ]
  }

  private func refusal(stale: Bool, at count: Int? = nil) -> Answer? {
    if status != "open" { return "closed" }
    if stale { return "stale" }
    if held { return "held" }
    if let count, count != text.count { return "outOfPosition" }
    return nil
  }

  private mutating func replace(by new: String, whole: Bool = false) {
    let wasFull = text.count == length
    if !active { becomeActive() }
    text = new
    shownCount = new.count
    rejected = false
    fired.insert("change")
    sinceBegin = nil
    sinceChange = 0
    if new.count == length {
      sinceChange = nil
      if !wasFull || whole { complete() }
    }
  }

  private mutating func complete() {
    completion += 1
    sinceBegin = nil
    sinceChange = nil
    fired.insert("complete")
    if endsOnComplete && active { becomeInactive("complete") }
  }

  private mutating func becomeActive() {
    active = true
    fired.insert("begin")
    sinceBegin = text.count == length ? nil : 0
  }

  private mutating func becomeInactive(_ reason: String) {
    active = false
    sinceBegin = nil
    sinceChange = nil
    fired.insert("end:\(reason)")
  }

  private mutating func closeAs(_ status: String, reason: String = "closed") {
    if active { becomeInactive(reason) }
    self.status = status
    text = ""
    held = false
    fired.insert("close")
  }

  @discardableResult private mutating func tell() -> Answer {
    guard !fired.isEmpty else { return "ok" }
    let order = ["configure", "begin", "change", "delete", "complete", "end", "hold", "reject", "close"]
    let events = order.flatMap { kind in fired.filter { $0 == kind || $0.hasPrefix(kind + ":") } }
    told.append(events.joined(separator: " "))
    eventID += events.count
    revision += 1
    fired = []
    return "ok"
  }
}

/// A character that a script sends, and how it is to be read.
struct SentCharacter {
  let sent: String
  let asDigit: String?
  let asLetter: String?

  init(_ sent: String, _ asDigit: String?, _ asLetter: String?) {
    self.sent = sent
    self.asDigit = asDigit
    self.asLetter = asLetter
  }

  func reading(_ letters: Bool) -> String? { letters ? asLetter : asDigit }
}
