import Glibc
import MicroHTTP
import Testing
import WipingBuffer

@Suite("A path for a Unix socket")
struct UnixSocketTests {
  @Test func `that is a file of another kind leaves it as it is`() throws {
    var template = Array("/tmp/pinpad-test-XXXXXX\0".utf8.map { CChar(bitPattern: $0) })
    let descriptor = mkstemp(&template)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    #expect(throws: ListenerError.self) { _ = try Listener.unix(path: path).address }
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
  }

  @Test func `that nobody serves on in the end is removed`() throws {
    let path = "/tmp/pinpad-test-\(getpid())-unused"
    do {
      let listener = try Listener.unix(path: path)
      #expect(listener.address == "unix:\(path)")
      #expect(access(path, F_OK) == 0)
    }
    #expect(access(path, F_OK) != 0)
  }

  @Test func `is removed when serving ends, and not again when somebody else has it`() throws {
    let path = "/tmp/pinpad-test-\(getpid())-served"
    var server: Server? = try Server.start(listener: try Listener.unix(path: path)) { _ in
      .response(Response(status: 204, contentType: nil, body: Bytes()))
    }
    #expect(access(path, F_OK) == 0)
    server?.stop()
    #expect(access(path, F_OK) != 0)
    let other = try Listener.unix(path: path)
    server = nil
    #expect(access(path, F_OK) == 0)
    #expect(other.address == "unix:\(path)")
  }
}
