import Glibc
import MicroHTTP
import SessionStore
import WipingBuffer

/// All that a client sends over one connection, to a server of its own. What the server takes for a request has to be
/// one by the letter of RFC 9112 too, with the same body: else a proxy in front may see another request in its place.
enum Guarding {
  private static let seen = Locked<[AskedRequest]>([])
  private static let path = "\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/pinpad-fuzzing-\(getpid())"
  private static let server: Server = {
    do {
      var limits = Server.Limits()
      limits.workers = 1
      return try Server.start(listener: try Listener.unix(path: path), limits: limits) { request in
        if request.refusal == nil {
          let asked = AskedRequest(method: Array(request.methodText), body: Array(request.body))
          seen.withLock { $0.append(asked) }
        }
        return .response(Response(status: request.refusal == nil ? 200 : 400, contentType: nil, body: Bytes()))
      }
    } catch {
      fatalError("\(error)")
    }
  }()

  static func run(_ input: UnsafeRawBufferPointer) {
    _ = server
    seen.withLock { $0 = [] }
    talk(input)
    let seen = seen.withLock { $0 }
    let strict = AskedRequest.all(in: input)
    guard seen.count <= strict.count, zip(seen, strict).allSatisfy({ $0 == $1 }) else {
      fatalError("the server saw \(seen), by the letter there is \(strict)")
    }
  }

  /// Sends all of it, and waits until the server has closed the connection.
  private static func talk(_ input: UnsafeRawBufferPointer) {
    let descriptor = connect()
    defer { close(descriptor) }
    _ = send(descriptor, input.baseAddress, input.count, CInt(MSG_NOSIGNAL))
    waitUntilRead(descriptor)
    shutdown(descriptor, CInt(SHUT_WR))
    var answer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &answer, answer.count, 0)
      if count == 0 || count < 0 && errno == ECONNRESET { return }
      // libFuzzer's clock is a signal.
      if count < 0 && errno == EINTR { continue }
      if count < 0 { fatalError("the server does not end it: \(errno)") }
    }
  }

  /// An end that comes together with the last bytes is seen by libmicrohttpd only when the request's time is over.
  private static func waitUntilRead(_ descriptor: CInt) {
    while true {
      var unread: CInt = 0
      guard ioctl(descriptor, UInt(TIOCOUTQ), &unread) == 0, unread > 0 else { return }
      var poll = pollfd(fd: descriptor, events: 0, revents: 0)
      if Glibc.poll(&poll, 1, 0) > 0 { return }
      sched_yield()
    }
  }

  private static func connect() -> CInt {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    // Less than libFuzzer's own limit, so that what hangs here is told apart.
    var limit = timeval(tv_sec: 8, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafeBytes(of: &name) { bytes in
      Glibc.connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_un>.size))
    }
    guard descriptor >= 0, result == 0 else { fatalError("no connection: \(errno)") }
    return descriptor
  }
}
