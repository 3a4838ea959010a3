internal import PINEntry

/// A creation that may be asked for again, as Redis keeps it: its tokens are made anew from id and nonce.
extension Creation {
  private static let version: UInt8 = 1

  /// - Parameter request: stands for the request that made it.
  func write(request: Hash128, to out: inout PackedWriter) {
    out.append(Self.version)
    out.append(request)
    out.append(id)
    out.append(nonce)
    out.append(createdOn)
    out.append(configuration)
  }

  /// The creation, and what stands for the request that made it.
  static func read(_ bytes: UnsafeRawBufferPointer) throws(RecordError) -> (creation: Creation, request: Hash128) {
    var reader = PackedReader(bytes)
    guard try reader.number(UInt8.self) == Self.version else { throw .newer }
    let request = try reader.hash()
    let (id, nonce) = (try reader.id(), try reader.id())
    let creation = Creation(
      id: id, nonce: nonce, createdOn: try reader.number(), configuration: try reader.configuration())
    return (creation, request)
  }
}
