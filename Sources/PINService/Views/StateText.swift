import PINEntry
import SessionStore
import WipingBuffer

/// A session's state as it is answered.
struct StateText: ~Copyable {
  /// Of the revision, in quotes.
  let tag: String
  let document: Bytes

  /// - Parameters:
  ///   - sight: as much as whoever asks may see.
  ///   - role: whose token the request carries.
  init(_ access: borrowing SessionAccess, _ sight: Sight, for role: Role?) {
    var out = Bytes(capacity: 768)
    let seen = sight.snapshot(access)
    out.appendOpenState(seen)
    out.append(",\"config\":")
    out.appendConfig(sight.options(access), sight.presentation(access))
    if role == .owner {
      out.append(",\"metadata\":")
      out.appendMetadata(access.presentation.metadata)
    }
    if role != nil { access.appendText(to: &out) }
    out.append("}")
    tag = "\"\(seen.state.revision)\""
    document = out
  }
}
