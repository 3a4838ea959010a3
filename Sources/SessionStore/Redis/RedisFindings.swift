/// What a server says about itself (INFO), as far as it matters here.
package struct RedisFindings: Equatable, Sendable {
  /// Redis or Valkey, with its own version.
  package let name: String
  /// The version of Redis that it does as much as.
  package let version: String
  package let evictionPolicy: String
  package let hasAppendOnlyFile: Bool
  package let isClusterNode: Bool
  package let replicas: Int

  /// - Parameter info: lines like `redis_version:7.0.15`, between headings.
  package init(info: String) {
    var fields: [Substring: Substring] = [:]
    for line in info.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { fields[parts[0]] = parts[1] }
    }
    version = String(fields["redis_version"] ?? "")
    name = fields["valkey_version"].map { "valkey \($0)" } ?? "redis \(version)"
    evictionPolicy = String(fields["maxmemory_policy"] ?? "")
    hasAppendOnlyFile = fields["aof_enabled"] == "1"
    isClusterNode = fields["cluster_enabled"] == "1"
    replicas = fields["connected_slaves"].flatMap { Int($0) } ?? 0
  }

  /// All that speaks against it.
  /// - Parameters:
  ///   - isCluster: whether it should be a node of a cluster.
  ///   - allowLoss: whether sessions may be lost without a word.
  package func objections(isCluster: Bool, allowLoss: Bool) -> [RedisObjection] {
    var objections: [RedisObjection] = []
    // From 7.0 on an error in a script says by itself what kind it is, as that memory has run out.
    if major < 7 { objections.append(.version(name)) }
    if isClusterNode && !isCluster { objections.append(.cluster) }
    guard !allowLoss else { return objections }
    if evictionPolicy != "noeviction" { objections.append(.eviction(evictionPolicy)) }
    if !hasAppendOnlyFile { objections.append(.persistence) }
    return objections
  }

  private var major: Int { Int(version.prefix { $0 != "." }) ?? 0 }

  /// For the log.
  package var description: String {
    let file = hasAppendOnlyFile ? "append-only file" : "no append-only file"
    return "\(name), \(evictionPolicy), \(file), replicas: \(replicas)"
  }
}
