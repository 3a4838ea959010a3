/// How many connections and streams there may be at a time, so that neither takes the descriptors that the other needs.
///
/// All of them together and a reserve fit into the limit of open files: at its caps the service still accepts and
/// answers short requests.
package struct Capacity: Equatable, Sendable {
  /// Without streams.
  package let connections: Int
  /// Streams and waits.
  package let streams: Int
  /// From one address.
  package let connectionsPerAddress: Int
  package let streamsPerAddress: Int
  /// Requests that may ask Redis at a time.
  package let waiters: Int
  /// What the operator should know: the limit does not give what is asked for, or is low.
  package let warning: String?

  /// A setting that is 0 is derived from the limit of open files; another one holds as far as the limit allows.
  package init(_ configuration: Configuration, fileLimit: Int) {
    // Listening sockets, event queues, what a page of metrics or a reload opens; what libmicrohttpd rounds up; and a
    // connection of each waiter to each server of a small cluster.
    waiters = min(configuration.waiterCount, max(1, fileLimit / 16))
    let reserve = 64 + 4 * configuration.workerCount + 3 * waiters
    let usable = max(2, fileLimit - reserve)
    let wanted = configuration.connections
    connections = min(wanted > 0 ? wanted : min(4096, max(16, usable / 4)), usable - 1)
    let left = usable - connections
    streams = min(configuration.streams > 0 ? configuration.streams : 100_000, left)
    connectionsPerAddress = Self.share(configuration.connectionsPerAddress, of: connections, least: 16)
    streamsPerAddress = Self.share(configuration.streamsPerAddress, of: streams, least: 64)
    let isShort = wanted > connections || configuration.streams > streams
    let isLow = configuration.streams == 0 && streams < 1000
    let hasFewWaiters = waiters < configuration.waiterCount
    let andWaiters = hasFewWaiters ? ", and \(waiters) requests may ask Redis at a time" : ""
    warning =
      isShort || isLow || hasFewWaiters
      ? "the limit of open files is \(fileLimit): there are at most \(connections) connections and \(streams) streams"
        + andWaiters
      : nil
  }

  /// Without a setting one address may have a sixteenth: many people may be behind one.
  private static func share(_ setting: Int, of whole: Int, least: Int) -> Int {
    min(setting > 0 ? setting : max(least, whole / 16), whole)
  }
}
