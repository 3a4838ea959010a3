import PINEntry
import SessionStore

extension Accessed where Value: ~Copyable {
  /// What the access gave, or the problem that there is no such session or no store.
  consuming func get() throws(Problem) -> Value {
    switch consume self {
    case .done(let value): return value
    case .gone: throw .gone
    case .unavailable: throw .storeUnavailable
    }
  }
}

extension SessionStore {
  /// The session of this id; nil if there is none.
  func session(_ id: SessionID) throws(Problem) -> SessionHandle? {
    do throws(StoreError) {
      return try find(id)
    } catch {
      throw Problem(error)
    }
  }

  /// The sessions of these ids; nil for those that there are not.
  func sessions(_ ids: [SessionID]) throws(Problem) -> [SessionHandle?] {
    do throws(StoreError) {
      return try find(ids)
    } catch {
      throw Problem(error)
    }
  }
}
