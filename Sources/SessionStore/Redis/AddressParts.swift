/// The pieces of a `RedisAddress`, decoded, before it is known whether they belong together.
struct AddressParts {
  let scheme: String
  let login: RedisLogin
  /// Each with its port, if it has one.
  let hosts: [Substring]
  /// The parts between slashes.
  let path: [String]
  let query: [String: String]

  init(_ text: String) throws(RedisAddressError) {
    guard let separator = text.firstRange(of: "://") else { throw .scheme }
    scheme = text[..<separator.lowerBound].lowercased()
    var rest = text[separator.upperBound...]
    query = try Self.query(Self.cut(&rest, at: "?"))
    // A password may have a slash in it only encoded, so the first one begins the path.
    path = try Self.path(Self.cut(&rest, at: "/"))
    login = try Self.login(&rest)
    hosts = rest.split(separator: ",", omittingEmptySubsequences: false)
  }

  /// Takes off what comes after the first such character; nil if there is none.
  private static func cut(_ text: inout Substring, at character: Character) -> Substring? {
    guard let place = text.firstIndex(of: character) else { return nil }
    defer { text = text[..<place] }
    return text[text.index(after: place)...]
  }

  /// Takes off the user and password. The last `@` ends them, as those in passwords are often left as they are.
  private static func login(_ text: inout Substring) throws(RedisAddressError) -> RedisLogin {
    guard let at = text.lastIndex(of: "@") else { return RedisLogin() }
    let credentials = text[..<at]
    text = text[text.index(after: at)...]
    guard let colon = credentials.firstIndex(of: ":") else { throw .userWithoutPassword }
    let user = try decoded(credentials[..<colon])
    return RedisLogin(
      user: user.isEmpty ? nil : user, password: try decoded(credentials[credentials.index(after: colon)...]))
  }

  private static func path(_ text: Substring?) throws(RedisAddressError) -> [String] {
    var parts: [String] = []
    for part in (text ?? "").split(separator: "/", omittingEmptySubsequences: false) { parts.append(try decoded(part)) }
    return parts == [""] ? [] : parts
  }

  private static func query(_ text: Substring?) throws(RedisAddressError) -> [String: String] {
    var query: [String: String] = [:]
    for pair in (text ?? "").split(separator: "&") {
      var name = pair
      guard let value = cut(&name, at: "=") else { throw .query }
      query[String(name)] = try decoded(value)
    }
    return query
  }

  /// With percent-encoded characters decoded.
  private static func decoded(_ text: Substring) throws(RedisAddressError) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      // All of them, as a sign would be read as part of the number.
      guard digits.count == 2, digits.allSatisfy(isHexadecimal), let value = UInt8(Substring(digits), radix: 16) else {
        throw .encoding
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard let decoded = String(validating: bytes, as: UTF8.self), !decoded.utf8.contains(0) else { throw .encoding }
    return decoded
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool { Character(UnicodeScalar(byte)).isHexDigit }

  // MARK: For each scheme

  func endpoints(defaultPort: UInt16) throws(RedisAddressError) -> [RedisEndpoint] {
    var endpoints: [RedisEndpoint] = []
    for host in hosts { endpoints.append(try endpoint(host, defaultPort: defaultPort)) }
    return endpoints
  }

  func endpoint(_ text: Substring, defaultPort: UInt16) throws(RedisAddressError) -> RedisEndpoint {
    var host = text
    var port: Substring?
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { throw .noHost }
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { throw .port }
      port = rest.isEmpty ? nil : rest.dropFirst()
    } else if let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    guard !host.isEmpty else { throw .noHost }
    let decoded = try Self.decoded(host)
    guard let port else { return .tcp(host: decoded, port: defaultPort) }
    guard let number = Self.number(port), number > 0 else { throw .port }
    return .tcp(host: decoded, port: number)
  }

  func database(_ text: String?) throws(RedisAddressError) -> Int {
    guard let text, !text.isEmpty else { return 0 }
    guard let number = Self.number(text[...]) else { throw .database }
    return Int(number)
  }

  private static func number(_ text: Substring) -> UInt16? {
    // A sign would be read too.
    text.first?.isNumber == true ? UInt16(text) : nil
  }

  func allow(_ names: Set<String>) throws(RedisAddressError) {
    guard names.isSuperset(of: query.keys) else { throw .query }
  }
}
