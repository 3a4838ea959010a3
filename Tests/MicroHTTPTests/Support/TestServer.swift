import Glibc
import MicroHTTP
import WipingBuffer

/// A server whose handler is the test's. Ends with it.
final class TestServer {
  let server: Server
  let address: String

  init(
    _ listener: consuming Listener? = nil, _ limits: Server.Limits = .patient,
    _ handler: @escaping @Sendable (borrowing Request) -> Reply = TestServer.echo,
    onTime: @escaping @Sendable (Int64) -> Int64 = { _ in .max },
    isLimited: @escaping @Sendable (PeerAddress) -> Bool = { _ in false },
    mayWait: @escaping @Sendable (borrowing Request) -> Bool = { _ in true }
  ) throws {
    let listener = try listener ?? Listener.tcp(host: "127.0.0.1", port: 0)
    address = listener.address
    server = try Server.start(
      listener: listener, limits: limits, mayWait: mayWait, onRequest: handler, isLimited: isLimited, onTime: onTime)
  }

  deinit { server.stop() }

  func client(receiveBuffer: CInt? = nil) -> Client { Client(address, receiveBuffer: receiveBuffer) }

  /// Waits until the counts are as they should be, 60 s at most.
  func wait(until isReached: (Counts) -> Bool) -> Bool {
    for _ in 0..<12_000 {
      if isReached(server.counts) { return true }
      usleep(5000)
    }
    return false
  }

  static func text(_ text: String, status: Int = 200) -> Response {
    var body = Bytes()
    body.append(text: text)
    return Response(status: status, contentType: "text/plain", body: body)
  }

  /// Answers what was asked; refusals by name.
  static let echo: @Sendable (borrowing Request) -> Reply = { request in
    if let refusal = request.refusal {
      let status =
        switch refusal {
        case .malformed: 400
        case .lengthRequired: 411
        case .tooLarge: 413
        case .unavailable: 503
        case .crowded: 429
        }
      return .response(text("\(refusal)", status: status))
    }
    var answer = string(request.methodText) + " " + string(request.path)
    if let query = request.query { answer += " ?" + string(query) }
    if let field = request.header("x-test") { answer += " [" + string(field) + "]" }
    return .response(text(answer + " " + string(request.body)))
  }

  static func string(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension Server.Limits {
  /// With time for a slow machine, where no time is tested.
  static var patient: Self {
    var limits = Self()
    limits.requestSeconds = 300
    limits.idleSeconds = 300
    limits.stallSeconds = 300
    return limits
  }
}
