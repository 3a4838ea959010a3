import Glibc
import MicroHTTP
import Testing

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
}
