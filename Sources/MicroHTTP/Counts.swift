import MicroHTTPShim

/// What a server has counted.
package struct Counts: Sendable {
  /// Connections accepted since the start.
  package let accepted: UInt64
  /// Connections open now, without streams.
  package let connections: Int
  /// Requests under way now.
  package let requests: Int
  /// Requests under way that began before the server was told to drain.
  package let earlyRequests: Int
  /// Requests under way that may have to wait for another machine.
  package let waitingRequests: Int
  /// Streams and long polls open now.
  package let streams: Int
  /// Streams dropped because their reader was too slow.
  package let streamsCutOff: UInt64
  /// Connections closed because a request was not whole in time.
  package let timedOut: UInt64
  private let refused: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  init(_ counts: mhs_counts) {
    accepted = counts.accepted
    connections = Int(counts.connections)
    requests = Int(counts.requests)
    earlyRequests = Int(counts.early_requests)
    waitingRequests = Int(counts.handed_requests)
    streams = Int(counts.streams)
    streamsCutOff = counts.cut
    timedOut = counts.timed_out
    refused = counts.refused
  }

  /// Requests refused for that reason.
  package func refusals(_ refusal: Refusal) -> UInt64 {
    withUnsafeBytes(of: refused) { $0.load(fromByteOffset: Int(refusal.shim.rawValue) * 8, as: UInt64.self) }
  }
}
