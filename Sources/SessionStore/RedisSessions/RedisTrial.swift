internal import PINEntry

/// Does once what sessions need of Redis, with keys of its own that go at once: a user who may not do all of it would
/// leave edits half made.
struct RedisTrial: Sendable {
  let link: RedisLink

  func run() throws(RedisError) {
    let keys = RedisKeys(SessionID.randomPair().0)
    // By its text and by its name: the one is needed when Redis has started anew, the other always.
    let looked = try link.command(
      ["EVAL", .text(SessionScripts.look.text), "4"] + keys.all + ["", "0"], at: keys.slot)
    let now = looked.withValue { $0[0]?.integer ?? 0 }
    // Should it end between them, they go by themselves.
    let end = now + 10_000
    try commit(keys, from: "", to: 1, ["text", .number(end), "change", "", "0", .text(keys.channel), "event"], end)
    try commit(keys, from: "1", to: 2, ["", .number(end), "change", "", "1", .text(keys.channel), "event"], end)
    _ = try link.eval(SessionScripts.look, keys: keys.all, arguments: ["", "0"], at: keys.slot)
    let closing: [RedisArgument] = ["-", .number(end), "", "-", "2", .text(keys.channel)]
    try commit(keys, from: "2", to: 3, closing, end, SessionScripts.freeingCommit)
    _ = try link.command(["GET", keys.all[0]], at: keys.slot)
    _ = try link.command(["SET", keys.all[0], "", "PX", "10000", "NX", "GET"], at: keys.slot)
    _ = try link.command(["DEL"] + keys.all, at: keys.slot)
  }

  /// - Parameter stamp: eight times the digit.
  private func commit(
    _ keys: RedisKeys, from old: String, to stamp: Int, _ rest: [RedisArgument], _ end: Int64,
    _ script: RedisScript = SessionScripts.commit
  ) throws(RedisError) {
    let old = String(repeating: old, count: 8)
    let new = String(repeating: "\(stamp)", count: 8)
    // A record is its version, its stamp, and what no script looks at.
    let arguments: [RedisArgument] = [.text(old), .text(new), "", .text("0" + new), .number(end)] + rest
    _ = try link.eval(script, keys: keys.all, arguments: arguments, at: keys.slot)
  }
}
