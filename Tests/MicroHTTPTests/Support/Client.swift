import Glibc
import MicroHTTP

/// A client on a raw socket, so that a test says each byte. Every wait ends after 60 s.
final class Client {
  private(set) var descriptor: CInt
  private var buffer: [UInt8] = []

  /// - Parameter address: as a listener says it: `127.0.0.1:8080`, `[::1]:8080`, `unix:/path`.
  init(_ address: String, receiveBuffer: CInt? = nil) {
    if address.hasPrefix("unix:") {
      descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address.utf8.dropFirst(5)) }
      connect(&name)
      return
    }
    let colon = address.lastIndex(of: ":") ?? address.startIndex
    let port = in_port_t(address[address.index(after: colon)...]) ?? 0
    if address.hasPrefix("[") {
      descriptor = socket(AF_INET6, CInt(SOCK_STREAM.rawValue), 0)
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      name.sin6_port = port.bigEndian
      name.sin6_addr = in6addr_loopback
      connect(&name)
    } else {
      descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      if var receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4) }
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = port.bigEndian
      name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      connect(&name)
    }
  }

  deinit { close() }

  private func connect<Name>(_ name: inout Name) {
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnsafeBytes(of: &name) { bytes in
      Glibc.connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<Name>.size))
    }
    if result != 0 { close() }
  }

  var isConnected: Bool { descriptor >= 0 }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Says that nothing more comes.
  func finishSending() { shutdown(descriptor, CInt(SHUT_WR)) }

  /// Returns false when the connection is no longer there.
  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, CInt(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  func get(_ path: String, _ fields: String...) {
    send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n")
  }

  func post(_ path: String, _ body: String) {
    send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  /// Reads what is there, or waits for it; false at the end.
  private func more() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count <= 0 { return false }
    buffer += bytes[..<count]
    return true
  }

  /// Nothing has come within 50 ms.
  var hasNothing: Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return buffer.isEmpty && Glibc.poll(&poll, 1, 50) == 0
  }

  /// Everything up to `text` and itself; nil if the connection ends before.
  func read(through text: String) -> String? {
    let pattern = Array(text.utf8)
    var start = 0
    while true {
      while start + pattern.count <= buffer.count {
        if buffer[start..<start + pattern.count].elementsEqual(pattern) {
          let found = buffer[..<(start + pattern.count)]
          buffer.removeFirst(start + pattern.count)
          return String(decoding: found, as: UTF8.self)
        }
        start += 1
      }
      if !more() { return nil }
    }
  }

  /// All that comes until the connection ends.
  func readToEnd() -> String {
    while more() {}
    defer { buffer = [] }
    return String(decoding: buffer, as: UTF8.self)
  }

  /// The next answer; nil if the connection ends before.
  ///
  /// - Parameter hasBody: false for an answer to HEAD.
  func answer(hasBody: Bool = true) -> Answer? {
    guard let head = read(through: "\r\n\r\n") else { return nil }
    var answer = Answer(head: head)
    guard hasBody, let length = answer["Content-Length"].flatMap({ Int($0) }) else { return answer }
    while buffer.count < length { if !more() { return nil } }
    answer.body = String(decoding: buffer[..<length], as: UTF8.self)
    buffer.removeFirst(length)
    return answer
  }
}

/// An answer, taken apart.
struct Answer {
  let head: String
  var body = ""

  init(head: String) { self.head = head }

  var status: Int { Int(head.dropFirst(9).prefix(3)) ?? 0 }

  /// The value of the first field of that name.
  subscript(_ name: String) -> String? { all(name).first }

  func all(_ name: String) -> [String] {
    head.split(separator: "\r\n").compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      guard line[..<colon].lowercased() == name.lowercased() else { return nil }
      return String(line[line.index(after: colon)...].drop { $0 == " " })
    }
  }
}
