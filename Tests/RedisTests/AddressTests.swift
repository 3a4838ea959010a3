import SessionStore
import Testing

@Suite struct AddressTests {
  @Test func `a server has a host, a port and a database`() throws {
    let address = try RedisAddress("redis://example.com")
    #expect(address.servers == .one(.tcp(host: "example.com", port: 6379)))
    #expect(address.login == RedisLogin())
    #expect(try RedisAddress("REDIS://10.0.0.1:7000/3").servers == .one(.tcp(host: "10.0.0.1", port: 7000)))
    #expect(try RedisAddress("redis://10.0.0.1:7000/3").login.database == 3)
    #expect(try RedisAddress("redis://[::1]:7000/").servers == .one(.tcp(host: "::1", port: 7000)))
    #expect(try RedisAddress("redis://[fe80::1%25eth0]").servers == .one(.tcp(host: "fe80::1%eth0", port: 6379)))
  }

  @Test func `a user and a password may be encoded, and either sign may be in the password`() throws {
    #expect(try RedisAddress("redis://pin:a%2Fb%C3%A4@h").login == RedisLogin(user: "pin", password: "a/b\u{e4}"))
    #expect(try RedisAddress("redis://:secret@h").login == RedisLogin(password: "secret"))
    #expect(try RedisAddress("redis://u:p:@:x@h").login == RedisLogin(user: "u", password: "p:@:x"))
  }

  @Test func `a unix socket has a path and may have a database`() throws {
    let address = try RedisAddress("redis+unix://u:p@/run/redis/a%20b.sock?db=2")
    #expect(address.servers == .one(.unix(path: "/run/redis/a b.sock")))
    #expect(address.login == RedisLogin(user: "u", password: "p", database: 2))
  }

  @Test func `sentinels have a master's name, and may have a login of their own`() throws {
    let address = try RedisAddress(
      "redis+sentinel://u:p@a:1,b,[::1]:3/my%20master/4?sentinelUser=s&sentinelPassword=%26")
    #expect(
      address.servers
        == .sentinels(
          [.tcp(host: "a", port: 1), .tcp(host: "b", port: 26379), .tcp(host: "::1", port: 3)], master: "my master"))
    #expect(address.login == RedisLogin(user: "u", password: "p", database: 4))
    #expect(address.sentinelLogin == RedisLogin(user: "s", password: "&"))
  }

  @Test func `a cluster has several nodes`() throws {
    let address = try RedisAddress("redis+cluster://:p@a:7000,b:7001/")
    #expect(address.servers == .cluster([.tcp(host: "a", port: 7000), .tcp(host: "b", port: 7001)]))
    #expect(address.login == RedisLogin(password: "p"))
  }

  @Test(
    arguments: [
      ("redis", .scheme), ("http://h", .scheme), ("redis+tcp://h", .scheme), ("rediss://h", .tls),
      ("rediss+cluster://h", .tls), ("redis://", .noHost), ("redis://:6379", .noHost), ("redis://[::1", .noHost),
      ("redis://a,b", .severalHosts), ("redis://h:", .port), ("redis://h:0", .port), ("redis://h:65536", .port),
      ("redis://h:+1", .port), ("redis://[::1]1", .port), ("redis://::1", .noHost), ("redis://h/x", .database),
      ("redis://h/+1", .database), ("redis://h/1/2", .extraPath), ("redis://h?db=1", .query),
      ("redis://u@h", .userWithoutPassword),
      ("redis://:%4@h", .encoding), ("redis://:%+4@h", .encoding), ("redis://:%ff@h", .encoding),
      ("redis://:%00@h", .encoding), ("redis+unix://h/path", .noSocketPath), ("redis+unix://", .noSocketPath),
      ("redis+unix:///path?db=x", .database), ("redis+unix:///path?db", .query),
      ("redis+sentinel://a:1,b:2", .noMasterName),
      ("redis+sentinel://a:1,/name", .noHost), ("redis+sentinel://a/name/0/1", .extraPath),
      ("redis+cluster://a/1", .databaseInCluster), ("redis+cluster://a,", .noHost),
    ] as [(String, RedisAddressError)])
  func `a mistake is named`(_ text: String, _ error: RedisAddressError) {
    #expect(throws: error) { _ = try RedisAddress(text) }
  }

  @Test(arguments: [
    ("redis://u:secret@h/2", "redis://u:***@h:6379/2"),
    ("redis://:secret@[::1]:1", "redis://:***@[::1]:1"),
    ("redis+unix://u:secret@/a?db=2", "redis+unix://u:***@/a?db=2"),
    ("redis+sentinel://u:secret@a,b:1/m/2?sentinelPassword=secret", "redis+sentinel://u:***@a:26379,b:1/m/2"),
    ("redis+cluster://u:secret@a,b", "redis+cluster://u:***@a:6379,b:6379"),
    ("redis://h", "redis://h:6379"),
  ])
  func `no password is printed`(_ text: String, _ printed: String) throws {
    #expect(try RedisAddress(text).description == printed)
  }

  @Test func `what is wrong tells no password, and TLS tells the way out`() {
    #expect(RedisAddressError.tls.description.contains("stunnel"))
    for error in RedisAddressError.allCases { #expect(!error.description.isEmpty) }
  }
}
