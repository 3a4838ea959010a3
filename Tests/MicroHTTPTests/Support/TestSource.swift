import MicroHTTP
import WipingBuffer

/// A source that sends what it is given, in order.
final class TestSource: StreamSource {
  struct State {
    var events: [String] = []
    var step = End.none
    var deadline = Int64.max
    var atDeadline: String?
    var isBehind = false
    var asked = 0
    var closings = 0
    var feeders = 0
    var overlaps = 0
  }

  enum End {
    case none, end, cut
    case respond(String)
  }

  let state: Locked<State>

  init(_ events: [String] = [], _ end: End = .none) { state = Locked(State(events: events, step: end)) }

  func give(_ event: String) { state.withLock { $0.events.append(event) } }

  func end(_ end: End = .end) { state.withLock { $0.step = end } }

  func next(into out: inout Bytes, at now: Int64) -> StreamStep {
    state.withLock { state in
      state.feeders += 1
      if state.feeders > 1 { state.overlaps += 1 }
    }
    defer { state.withLock { $0.feeders -= 1 } }
    let (event, end, deadline): (String?, End, Int64) = state.withLock { state in
      state.asked += 1
      if !state.events.isEmpty { return (state.events.removeFirst(), .none, 0) }
      if now >= state.deadline, let event = state.atDeadline {
        state.deadline = .max
        return (event, .none, 0)
      }
      return (nil, state.step, state.deadline)
    }
    if let event {
      out.append(text: event)
      return .more
    }
    switch end {
    case .none: return .idle(until: deadline)
    case .end: return .end
    case .cut: return .cut
    case .respond(let text):
      var body = Bytes()
      body.append(text: text)
      var response = Response(status: 200, contentType: "application/json", body: body)
      response.setHeader("Cache-Control", "no-store")
      return .respond(response)
    }
  }

  func hasFallenBehind() -> Bool { state.withLock { $0.isBehind } }

  func closed() { state.withLock { $0.closings += 1 } }

  func waitUntilClosed() -> Bool { state.wait { $0.closings > 0 } }
}
