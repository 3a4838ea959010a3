/// A part of a store's sessions, under one lock with all that belongs to them.
final class Shard: Sendable {
  let sessions = Locked(SessionTable())
  let common: StoreCommon

  init(_ common: StoreCommon) { self.common = common }
}
