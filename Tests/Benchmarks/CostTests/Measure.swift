import Glibc

/// Makes a step again and again. If PINPAD_COST_ROUNDS is set, prints for each of so many rounds the nanoseconds of CPU
/// time that one takes: `cost NAME 123.4 125.6`.
///
/// - Parameter step: returns how many steps it made.
func measure(_ name: String, _ step: () throws -> Int) throws {
  guard let rounds = getenv("PINPAD_COST_ROUNDS").flatMap({ Int(String(cString: $0)) }) else {
    for _ in 0..<10 { _ = try step() }
    return
  }
  var line = "cost \(name)"
  // The first round only warms up.
  for round in 0...rounds {
    var steps = 0
    let start = cpuNanoseconds()
    var now = start
    while now - start < 200_000_000 {
      for _ in 0..<1000 { steps += try step() }
      now = cpuNanoseconds()
    }
    if round > 0 { line += " \(Double((now - start) * 10 / steps) / 10)" }
  }
  print(line)
}

private func cpuNanoseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
