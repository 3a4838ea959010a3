import SessionStore

extension ConfigurationReader {
  /// Looks at what only shows when all is there.
  package mutating func finish() {
    if configuration.usesRedis {
      do throws(RedisAddressError) { _ = try RedisAddress(configuration.store) } catch { fail(in: "store", "\(error)") }
      if configuration.redisKeyFile.isEmpty {
        fail(
          "redis.keyFile: is needed with a Redis: a file with 64 hexadecimal digits, the same for all nodes "
            + places.describe(["store", "redis.keyFile"]))
      }
    }
    for origin in configuration.allowedOrigins where !Self.isOrigin(origin) {
      fail(in: "cors.allowedOrigins", "\(origin): is not an origin like https://example.com")
    }
    for ancestor in configuration.frameAncestors
    where ancestor != "self" && (!Self.isOrigin(ancestor) || ancestor.contains { ";,'\"".contains($0) }) {
      fail(in: "page.frameAncestors", "\(ancestor): is neither self nor an origin like https://example.com")
    }
    if !configuration.pagePolicy.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
      fail(in: "page.contentSecurityPolicy", "has a character that is not visible ASCII")
    }
    for proxy in configuration.proxies where !Proxies.isRight(proxy) {
      fail(in: "proxies", "\(proxy): is not an address, a range like 10.0.0.0/8 (zero after its 8 bits), or unix")
    }
    let hasNoKeys = configuration.apiKeys.isEmpty && !hasWrongKeys
    if configuration.metricsAccess == MetricsAccess.key.rawValue && hasNoKeys {
      fail("metrics.access: key: there are no API keys \(describe("metrics.access"))")
    }
    guard let address = configuration.address else {
      return fail(
        in: "listen", "\(configuration.listen): is not HOST:PORT, [IPV6]:PORT or unix:PATH, of 107 bytes at most")
    }
    if !address.isLocal && hasNoKeys && !configuration.allowAnyoneToCreate {
      fail("\(Self.refusal(toListenAt: configuration.listen)) \(describe("listen", "allowAnyoneToCreate"))")
    }
  }

  /// Where some settings, and those with API keys, were set.
  private func describe(_ names: String...) -> String {
    places.describe(names + (places.has("apiKeysFile") ? ["apiKeys", "apiKeysFile"] : ["apiKeys"]))
  }

  /// Why an address that others can reach is not listened at.
  package static func refusal(toListenAt place: String) -> String {
    "listen: \(place): without API keys the service listens on loopback addresses only; "
      + "set apiKeys, or allowAnyoneToCreate to true"
  }

  private static func isOrigin(_ text: String) -> Bool {
    for scheme in ["https://", "http://"] where text.hasPrefix(scheme) {
      let rest = text.dropFirst(scheme.count)
      return !rest.isEmpty && !rest.utf8.contains { $0 <= 0x20 || $0 >= 0x7F || $0 == UInt8(ascii: "/") }
    }
    return false
  }
}
