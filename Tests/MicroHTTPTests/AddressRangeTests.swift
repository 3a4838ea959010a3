import MicroHTTP
import Testing

@Suite struct `An address` {
  static func address(_ text: String) -> PeerAddress? { PeerAddress(text: text.utf8) }

  @Test(arguments: [
    "", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4 ", "1.2.3.4:80", "[::1]", "::g", "fe80::1%eth0", "unknown",
    "::ffff:1.2.3.4\0", String(repeating: "1", count: 60),
  ])
  func `is no other text`(_ text: String) { #expect(Self.address(text) == nil) }

  @Test func `is the same however it is written`() throws {
    #expect(Self.address("1.2.3.4") == Self.address("::ffff:1.2.3.4"))
    #expect(Self.address("1.2.3.4") == Self.address("::FFFF:102:304"))
    #expect(Self.address("2001:db8::1") == Self.address("2001:0DB8:0:0:0:0:0:1"))
    #expect(Self.address("1.2.3.4") != Self.address("::1.2.3.4"))
    #expect(try #require(Self.address("1.2.3.4")).isIPv4)
    #expect(try #require(Self.address("::ffff:0:1.2.3.4")).isIPv4 == false)
  }

  @Test func `of this machine is known`() throws {
    for text in ["127.0.0.1", "127.255.255.254", "::ffff:127.9.9.9", "::1"] {
      #expect(try #require(Self.address(text)).isLoopback, "\(text)")
    }
    for text in ["128.0.0.1", "10.0.0.1", "::2", "::127.0.0.1", "::", "0.0.0.0"] {
      #expect(try #require(Self.address(text)).isLoopback == false, "\(text)")
    }
  }

  @Test func `of IPv6 stands for its network of 64 bits, of IPv4 for itself`() throws {
    let home = try #require(Self.address("2001:db8:1:2:3:4:5:6"))
    #expect(home.network == Self.address("2001:db8:1:2::"))
    #expect(home.network == Self.address("2001:db8:1:2:ffff::1")?.network)
    #expect(home.network != Self.address("2001:db8:1:3:3:4:5:6")?.network)
    let old = try #require(Self.address("1.2.3.4"))
    #expect(old.network == old)
  }
}

@Suite struct `A range of addresses` {
  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"), ("10.1.2.3", "10.1.2.3", "10.1.2.4"),
    ("192.168.4.0/22", "192.168.7.255", "192.168.8.0"), ("0.0.0.0/0", "255.1.2.3", "2001:db8::1"),
    ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"), ("2001:db8::1", "2001:db8::1", "2001:db8::2"),
    ("2001:db8::1:0/112", "2001:db8::1:ffff", "2001:db8::2:0"), ("::1/128", "::1", "::2"),
    ("::ffff:10.0.0.0/104", "10.9.9.9", "11.0.0.0"), ("fe80::/10", "febf::1", "fec0::1"),
  ])
  func `has the addresses that begin like it`(_ text: String, inside: String, outside: String) throws {
    let range = try #require(AddressRange(text))
    #expect(range.contains(try #require(PeerAddress(text: inside.utf8))))
    #expect(range.contains(try #require(PeerAddress(text: outside.utf8))) == false)
  }

  @Test(arguments: [
    "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.1/8", "::/129",
    "::1/64",
    "localhost", "10.0.0.0 /8", "*",
  ])
  func `is written in one way only`(_ text: String) { #expect(AddressRange(text) == nil) }

  @Test func `has no Unix socket in it`() throws {
    let range = try #require(AddressRange("::/0"))
    let zero = [UInt8](repeating: 0, count: 16)
    #expect(zero.withUnsafeBytes { range.contains(PeerAddress($0, isUnix: true)) } == false)
    #expect(zero.withUnsafeBytes { range.contains(PeerAddress($0)) })
  }
}
