import Glibc
import MicroHTTPShim
import Synchronization
import WipingBuffer

/// Why a server didn't start.
package struct ServerError: Error, CustomStringConvertible {
  package let description: String
}

/// An HTTP/1.1 server on threads of its own.
package final class Server: Sendable {
  /// How much the server takes on.
  package struct Limits: Sendable {
    /// Connections at a time, without streams; more wait until one is closed.
    package var connections = 4096
    /// Streams and long polls at a time.
    package var streams = 16_384
    /// Of one address (of IPv6: of one network of 64 bits), as far as `isLimited` says that it is limited.
    package var connectionsPerAddress = 256
    /// Of one address, likewise.
    package var streamsPerAddress = 1024
    /// Seconds from the start of a request until it is whole.
    package var requestSeconds = 10
    /// Seconds for which a connection may stay without a request under way.
    package var idleSeconds = 30
    /// Seconds without a byte taken, after which a stream's reader is cut off while there is something to send.
    package var stallSeconds = 30
    /// Bytes of a request's body.
    package var maxBody = 16_384
    /// Threads that read requests and answer them.
    package var workers = 2
    /// Threads that answer those that may have to wait for another machine; 0: there are none.
    package var waiters = 0
    /// Bytes for the head of a request, and for the head of its answer.
    package var connectionMemory = 8192

    package init() {}
  }

  // The shim's functions that are called here may be called by any thread until it is freed, by deinit.
  private nonisolated(unsafe) let shim: OpaquePointer
  private let handlers: Handlers
  package let limits: Limits
  private let file: SocketFile?
  private let stopped = Atomic<Bool>(false)

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - mayWait: whether answering a request may take long; asked if there are waiters.
  ///   - onRequest: answers a request, on the thread that read it, or on a waiter.
  ///   - isLimited: whether connections from an address are counted and limited.
  ///   - onFull: answers in place of a stream or long poll that would be one too many.
  ///   - onTime: runs the timers that are due, on the streams' thread, for the first time at once; returns when it
  ///     wants to be called next (`.max`: when `wakeTimers` says so). Times are ms of `monotonicNow`.
  ///   - onLog: takes a line from libmicrohttpd; any thread.
  package static func start(
    listener: consuming Listener, limits: Limits = Limits(),
    mayWait: @escaping @Sendable (borrowing Request) -> Bool = { _ in true },
    onRequest: @escaping @Sendable (borrowing Request) -> Reply,
    isLimited: @escaping @Sendable (PeerAddress) -> Bool = { !$0.isLoopback },
    onFull: @escaping @Sendable (borrowing Request, StreamRefusal) -> Response = Server.unavailable,
    onTime: @escaping @Sendable (_ now: Int64) -> Int64 = { _ in .max },
    onLog: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(ServerError) -> Server {
    let handlers = Handlers(
      mayWait: mayWait, onRequest: onRequest, isLimited: isLimited, onFull: onFull, onTime: onTime, onLog: onLog)
    let file = listener.file
    var config = limits.shim
    var callbacks = handlers.shim
    let descriptor = listener.release()
    let (shim, message) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { error in
      error.initialize(repeating: 0)
      let shim = mhs_start(descriptor, &config, &callbacks, error.baseAddress, error.count)
      return (shim, String(decoding: error.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    guard let shim else { throw ServerError(description: message) }
    return Server(shim, handlers, limits, file)
  }

  private init(_ shim: OpaquePointer, _ handlers: Handlers, _ limits: Limits, _ file: SocketFile?) {
    self.shim = shim
    self.handlers = handlers
    self.limits = limits
    self.file = file
  }

  deinit {
    stop()
    mhs_free(shim)
  }

  /// `onTime` is called no later than at `time`. Any thread.
  package func wakeTimers(by time: Int64) { mhs_wake_timers(shim, time) }

  /// Asks every stream's source again, on the streams' thread. Any thread.
  package func wakeAllStreams() { mhs_wake_streams(shim) }

  /// From now on each answer closes its connection. New connections are still answered, so that `readyz` can say no.
  package func drain() { mhs_drain(shim) }

  package var counts: Counts {
    var counts = mhs_counts()
    mhs_count(shim, &counts)
    return Counts(counts)
  }

  /// Ends everything, joins the threads, and removes the Unix socket's file. Not from a callback.
  package func stop() {
    guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    file?.remove()
    mhs_stop(shim)
  }

  /// What a stream that is one too many gets, unless `onFull` says otherwise.
  package static let unavailable: @Sendable (borrowing Request, StreamRefusal) -> Response = { _, _ in
    var response = Response(status: 503, contentType: nil, body: Bytes())
    response.setHeader("Retry-After", "5")
    return response
  }
}

extension Server.Limits {
  fileprivate var shim: mhs_config {
    mhs_config(
      workers: UInt32(max(1, workers)), waiters: UInt32(waiters), max_connections: UInt32(connections),
      max_streams: UInt32(streams),
      max_address_connections: UInt32(connectionsPerAddress), max_address_streams: UInt32(streamsPerAddress),
      idle_ms: UInt32(idleSeconds) * 1000, request_ms: UInt32(requestSeconds) * 1000,
      stall_ms: UInt32(stallSeconds) * 1000,
      connection_memory: connectionMemory, max_body: maxBody)
  }
}
