import MicroHTTPShim

/// One whole request. It and all it points to are valid only while its handler runs.
package struct Request: ~Copyable {
  let pointer: OpaquePointer
  private let view: mhs_view
  package let method: Method

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    view = mhs_request_view(pointer)
    method = Method(UnsafeRawBufferPointer(view.method))
  }

  /// Asks for something and changes nothing.
  package var isRead: Bool { method == .get || method == .head }

  package var methodText: UnsafeRawBufferPointer { UnsafeRawBufferPointer(view.method) }

  /// The target before the `?`, as it was sent, not decoded; of an absolute target (RFC 9112 §3.2.2) its path only.
  package var path: UnsafeRawBufferPointer { UnsafeRawBufferPointer(view.path) }

  /// What comes after the first `?`, not decoded; nil without one.
  package var query: UnsafeRawBufferPointer? { view.query.bytes == nil ? nil : UnsafeRawBufferPointer(view.query) }

  /// Empty if there is none, and of a request that is to be refused.
  package var body: UnsafeRawBufferPointer { UnsafeRawBufferPointer(view.body) }

  /// The value of the first field of that name (case doesn't matter), without white space around it.
  package func header(_ name: StaticString) -> UnsafeRawBufferPointer? {
    // The shim compares as many bytes as it is told.
    let value = name.withUTF8Buffer { name in
      name.withMemoryRebound(to: CChar.self) { mhs_request_field(pointer, $0.baseAddress, $0.count) }
    }
    return value.bytes == nil ? nil : UnsafeRawBufferPointer(value)
  }

  /// The values of all fields of that name in order, the last 16 of them.
  package func headers(_ name: StaticString) -> [UnsafeRawBufferPointer] {
    withUnsafeTemporaryAllocation(of: mhs_slice.self, capacity: 16) { values in
      let count = name.withUTF8Buffer { name in
        name.withMemoryRebound(to: CChar.self) {
          mhs_request_fields(pointer, $0.baseAddress, $0.count, values.baseAddress, values.count)
        }
      }
      return values[..<count].map { UnsafeRawBufferPointer($0) }
    }
  }

  /// Who is at the other end of the connection: the client, or a proxy.
  package var peer: PeerAddress { PeerAddress(of: pointer) }

  /// It began after the server was told to drain.
  package var isLate: Bool { view.late }

  /// For how many ms it has waited for one of the server's waiters.
  package var waited: Int64 { view.waited_ms }

  /// Not nil: the request must be answered with that problem, and the connection is closed after it.
  package var refusal: Refusal? { Refusal(view.refusal) }
}

extension UnsafeRawBufferPointer {
  fileprivate init(_ slice: mhs_slice) { self.init(start: slice.bytes, count: slice.count) }
}
