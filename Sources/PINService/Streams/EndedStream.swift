import MicroHTTP
import WipingBuffer

/// A stream that can't be served for now: it tells the reader to come back, and ends. A status other than 200 would
/// stop a browser for good.
final class EndedStream: StreamSource {
  func next(into out: inout Bytes, at now: Int64) -> StreamStep {
    out.append("retry: 5000\n\n")
    return .end
  }

  func hasFallenBehind() -> Bool { false }

  func closed() {}
}
