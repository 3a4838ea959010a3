import MicroHTTPShim

/// Why a stream or long poll was not taken on.
package enum StreamRefusal: Sendable {
  /// There are as many as there may be.
  case full
  /// Its client's address has as many as it may.
  case fullForAddress
  /// There is no descriptor or no memory for it.
  case noDescriptor

  init(_ taken: mhs_taken) {
    switch taken {
    case MHS_FULL_ADDRESS: self = .fullForAddress
    case MHS_NO_DESCRIPTOR: self = .noDescriptor
    default: self = .full
    }
  }
}
