import Testing

@testable import PINService

struct RouteTests {
  private func name(_ pattern: String, _ path: String) -> String? {
    Array(path.utf8).withUnsafeBytes { bytes in
      Route(pattern).match(bytes).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  @Test func `a name stands for one part of a path`() {
    #expect(name("/v1/sessions/{id}/insert", "/v1/sessions/abc/insert") == "abc")
    #expect(name("/v1/sessions/{id}", "/v1/sessions/abc") == "abc")
    #expect(name("/livez", "/livez") == "")
  }

  @Test(arguments: [
    "/v1/sessions//insert", "/v1/sessions/a/b/insert", "/v1/sessions/abc/insert/", "/v1/sessions/insert",
    "/V1/sessions/abc/insert", "/v1/sessions/abc/inserts", "",
  ])
  func `another path is another path`(path: String) {
    #expect(name("/v1/sessions/{id}/insert", path) == nil)
  }

  @Test func `no path is in the table twice`() {
    let patterns = Route.all.map(\.pattern)
    #expect(Set(patterns).count == patterns.count)
  }

  @Test func `Allow names the methods, with HEAD where there is GET`() throws {
    let session = try #require(Route.all.first { $0.pattern == "/v1/sessions/{id}" })
    #expect(session.allow == "GET, PATCH, DELETE, HEAD, OPTIONS")
    let insert = try #require(Route.all.first { $0.pattern == "/v1/sessions/{id}/insert" })
    #expect(insert.allow == "POST, OPTIONS")
  }
}
