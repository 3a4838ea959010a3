import MicroHTTPShim

/// Why a request has to be refused, whatever it asks for.
package enum Refusal: CaseIterable, Sendable {
  /// Its framing can be read in two ways, or it breaks another rule that keeps requests apart (RFC 9112 §11.2).
  case malformed
  /// It has a Transfer-Encoding.
  case lengthRequired
  /// Its body is longer than the server takes.
  case tooLarge
  /// There is no memory for it.
  case unavailable
  /// Its address has too many connections.
  case crowded

  init?(_ refusal: mhs_refusal) {
    switch refusal {
    case MHS_MALFORMED: self = .malformed
    case MHS_LENGTH_REQUIRED: self = .lengthRequired
    case MHS_TOO_LARGE: self = .tooLarge
    case MHS_NO_MEMORY: self = .unavailable
    case MHS_CROWDED: self = .crowded
    default: return nil
    }
  }

  /// Where the shim counts it.
  var shim: mhs_refusal {
    switch self {
    case .malformed: MHS_MALFORMED
    case .lengthRequired: MHS_LENGTH_REQUIRED
    case .tooLarge: MHS_TOO_LARGE
    case .unavailable: MHS_NO_MEMORY
    case .crowded: MHS_CROWDED
    }
  }
}
