import MicroHTTPShim

/// What the shim calls, behind its context pointer.
final class Handlers: Sendable {
  let mayWait: @Sendable (borrowing Request) -> Bool
  let onRequest: @Sendable (borrowing Request) -> Reply
  let isLimited: @Sendable (PeerAddress) -> Bool
  let onFull: @Sendable (borrowing Request, StreamRefusal) -> Response
  let onTime: @Sendable (Int64) -> Int64
  let onLog: @Sendable (String) -> Void

  init(
    mayWait: @escaping @Sendable (borrowing Request) -> Bool,
    onRequest: @escaping @Sendable (borrowing Request) -> Reply,
    isLimited: @escaping @Sendable (PeerAddress) -> Bool,
    onFull: @escaping @Sendable (borrowing Request, StreamRefusal) -> Response,
    onTime: @escaping @Sendable (Int64) -> Int64,
    onLog: @escaping @Sendable (String) -> Void
  ) {
    self.mayWait = mayWait
    self.onRequest = onRequest
    self.isLimited = isLimited
    self.onFull = onFull
    self.onTime = onTime
    self.onLog = onLog
  }

  /// The shim's callbacks, with this object as context; the server keeps it until the shim is stopped.
  var shim: mhs_callbacks {
    mhs_callbacks(
      context: Unmanaged.passUnretained(self).toOpaque(), on_connection: isLimited(_:_:), may_wait: mayWait(_:_:),
      on_request: answer, on_stream_ready: feedStream, on_stream_closed: closeStream, on_time: runTimers, on_log: log)
  }

  fileprivate static func at(_ context: UnsafeMutableRawPointer) -> Handlers {
    Unmanaged<Handlers>.fromOpaque(context).takeUnretainedValue()
  }
}

// Free functions, which belong to no actor: the shim's threads call them.

private func isLimited(_ context: UnsafeMutableRawPointer?, _ address: UnsafePointer<UInt8>?) -> Bool {
  guard let context, let address else { return false }
  return Handlers.at(context).isLimited(PeerAddress(UnsafeRawBufferPointer(start: address, count: 16)))
}

private func mayWait(_ context: UnsafeMutableRawPointer?, _ pointer: OpaquePointer?) -> Bool {
  guard let context, let pointer else { return false }
  return Handlers.at(context).mayWait(Request(pointer))
}

private func answer(_ context: UnsafeMutableRawPointer?, _ pointer: OpaquePointer?) {
  guard let context, let pointer else { return }
  let handlers = Handlers.at(context)
  let request = Request(pointer)
  guard let refusal = handlers.onRequest(request).send(to: request) else { return }
  handlers.onFull(request, refusal).send(to: pointer)
}

private func feedStream(_ context: UnsafeMutableRawPointer?, _ user: UnsafeMutableRawPointer?) {
  guard let user else { return }
  Unmanaged<OpenStream>.fromOpaque(user).takeUnretainedValue().feed()
}

private func closeStream(_ context: UnsafeMutableRawPointer?, _ user: UnsafeMutableRawPointer?) {
  guard let user else { return }
  // Gives back the reference that the shim has had since the stream was opened.
  Unmanaged<OpenStream>.fromOpaque(user).takeRetainedValue().close()
}

private func runTimers(_ context: UnsafeMutableRawPointer?, _ now: Int64) -> Int64 {
  guard let context else { return .max }
  return Handlers.at(context).onTime(now)
}

private func log(_ context: UnsafeMutableRawPointer?, _ line: UnsafePointer<CChar>?) {
  guard let context, let line else { return }
  Handlers.at(context).onLog(String(cString: line))
}
