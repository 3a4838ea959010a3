import MicroHTTPShim
package import WipingBuffer

/// An answer with a length. A 304 takes the body that a 200 would have: it isn't sent, but its length is told (RFC 9110
/// §8.6).
package struct Response: ~Copyable, HasFields {
  package let status: Int
  private var fields = Fields()
  private let body: Bytes
  private let constant: UnsafeRawBufferPointer?
  private var closes = false
  /// Pages from elsewhere may have it in them, as a picture or a script.
  package private(set) var isEmbeddable = false

  /// - Parameter body: wiped and freed when it has been sent.
  package init(status: Int, contentType: StaticString?, body: consuming Bytes) {
    self.status = status
    self.body = body
    constant = nil
    if let contentType { setHeader("Content-Type", contentType) }
  }

  /// - Parameter constant: bytes that stay for ever; they are not copied.
  package init(status: Int, contentType: StaticString?, constant: UnsafeRawBufferPointer) {
    self.status = status
    body = Bytes()
    self.constant = constant
    if let contentType { setHeader("Content-Type", contentType) }
  }

  package var bodyCount: Int { constant?.count ?? body.count }

  /// Says itself how it may be stored.
  package var isCacheable: Bool { fields.hasCacheControl }

  /// Adds a field. A name that is there already is there twice, which is right for lists only, such as Vary. A field
  /// without a value is left out.
  package mutating func setHeader(_ name: StaticString, _ value: StaticString) {
    fields.add(name) { $0.append(value) }
  }

  /// Adds a field; CR, LF and NUL in its value are left out.
  package mutating func setHeader(_ name: StaticString, text value: String) {
    var value = value
    value.withUTF8 { fields.add(name, bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Adds a field; CR, LF and NUL in its value are left out.
  package mutating func setHeader(_ name: StaticString, bytes: UnsafeRawBufferPointer) {
    fields.add(name, bytes: bytes)
  }

  package mutating func setHeader(_ name: StaticString, number: some FixedWidthInteger) {
    fields.add(name) { $0.append(decimal: number) }
  }

  /// Lets pages from elsewhere have it in them.
  package mutating func allowEmbedding() { isEmbeddable = true }

  /// The connection is closed after the answer.
  package mutating func closeConnection() { closes = true }

  /// Answers a request; once.
  consuming func send(to request: OpaquePointer) {
    let status = UInt32(status)
    let closes = closes
    let constant = constant
    let fields = fields
    let body = body.release()
    fields.withBytes { fields in
      let block = fields.baseAddress?.assumingMemoryBound(to: CChar.self)
      if let constant {
        // The shim only reads what it doesn't own.
        let bytes = UnsafeMutableRawPointer(mutating: constant.baseAddress)
        mhs_reply(request, status, block, fields.count, bytes, constant.count, false, closes)
      } else {
        mhs_reply(request, status, block, fields.count, body.base, body.count, true, closes)
      }
    }
  }

  /// Writes the whole answer, for a connection that is closed after it.
  ///
  /// - Parameter headOnly: leaves the body out, as in an answer to HEAD.
  consuming func write(to out: inout Bytes, headOnly: Bool) {
    StatusLine.write(status, to: &out)
    fields.write(to: &out)
    if status != 204 {
      out.append("Content-Length: ")
      out.append(decimal: bodyCount)
      out.append("\r\n")
    }
    out.append("Connection: close\r\n\r\n")
    if headOnly || status == 304 { return }
    if let constant { return out.append(constant) }
    body.withBytes { out.append($0) }
  }
}
