import CSodium
import MicroHTTP
import WipingBuffer

/// A file that is part of the program.
struct StaticPage: Sendable {
  // The bytes are constants of the program.
  private nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
  private let type: StaticString
  private let tag: String

  /// - Parameter bytes: of a constant, which is there for ever.
  init(_ bytes: UnsafeRawBufferPointer, type: StaticString) {
    self.bytes = bytes
    self.type = type
    tag = "\"" + Digest.sha256(bytes).prefix(16).map(Digest.hexadecimal).joined() + "\""
  }

  /// - Parameter policy: of a page, its `Content-Security-Policy`; what has none may be in other pages.
  func reply(to request: borrowing Request, policy: String? = nil) -> Reply {
    var response =
      EntityTags.noneMatch(request, tag)
      ? Response(status: 304, contentType: nil, constant: bytes)
      : Response(status: 200, contentType: type, constant: bytes)
    response.setHeader("ETag", text: tag)
    response.setHeader("Cache-Control", "no-cache")
    if let policy {
      response.setHeader("Content-Security-Policy", text: policy)
      response.setHeader("Referrer-Policy", "no-referrer")
    } else {
      response.allowEmbedding()
    }
    return .response(response)
  }
}

/// SHA-256, as Content-Security-Policy and entity tags use it.
enum Digest {
  static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let input = Array(bytes)
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    crypto_hash_sha256(&digest, input, UInt64(input.count))
    return digest
  }

  static func hexadecimal(_ byte: UInt8) -> String {
    String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
  }

  /// RFC 4648 §4, padded.
  static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        text.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : "=")
      }
    }
    return text
  }
}
