import MicroHTTP
import PINEntry
import SessionStore

/// A request for one session, as far as the route has checked it.
struct SessionCall {
  let session: SessionHandle
  /// Whose token came with it; nil without one.
  let role: Role?
}
