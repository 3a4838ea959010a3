internal import CSodium
internal import Glibc
internal import PINEntry
internal import Synchronization

/// The memory of all sessions' records, and so of all digits: mapped apart from the heap, locked, left out of core
/// dumps and of forked children, and wiped slot by slot.
///
/// A slot belongs to one cell from `allocate` to `release` and is used only under that cell's lock. Chunks are never
/// unmapped, so a slot's address stays good.
final class Arena: Sendable {
  private let lock: MemoryLock
  private let state = Locked(State())
  private let unlocked = Atomic<Int>(0)

  private struct State: ~Copyable {
    var free: UnsafeMutableRawPointer?
  }

  /// How much is mapped and locked at once: a limit on locked memory counts all that is locked, used or not.
  private static let chunkSize = 1 << 20
  private static let slotSize = MemoryLayout<Session>.stride

  init(_ lock: MemoryLock) throws(StoreError) {
    self.lock = lock
    // A first chunk, so that a machine that can't do what is required is found out at the start.
    try state.withLock { state throws(StoreError) in try addChunk(&state) }
  }

  /// Whether all of it could be locked.
  var isLocked: Bool { unlocked.load(ordering: .relaxed) == 0 }

  /// A slot, all zero but for where the next free one was noted.
  func allocate() throws(StoreError) -> UnsafeMutablePointer<Session> {
    let slot = try state.withLock { state throws(StoreError) in
      if state.free == nil { try addChunk(&state) }
      guard let slot = state.free else { throw .noMemory }
      state.free = slot.load(as: UnsafeMutableRawPointer?.self)
      return slot
    }
    return slot.bindMemory(to: Session.self, capacity: 1)
  }

  /// Takes a slot back, wiped.
  func release(_ slot: UnsafeMutablePointer<Session>) {
    let slot = UnsafeMutableRawPointer(slot)
    sodium_memzero(slot, Self.slotSize)
    state.withLock { state in
      slot.storeBytes(of: state.free, as: UnsafeMutableRawPointer?.self)
      state.free = slot
    }
  }

  private func addChunk(_ state: inout State) throws(StoreError) {
    guard let chunk = mmap(nil, Self.chunkSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      chunk != MAP_FAILED
    else { throw .noMemory }
    if mlock(chunk, Self.chunkSize) != 0 {
      guard lock == .preferred else {
        munmap(chunk, Self.chunkSize)
        throw .noMemory
      }
      unlocked.add(1, ordering: .relaxed)
    }
    // Kernels that know neither are older than this program's system libraries.
    madvise(chunk, Self.chunkSize, MADV_DONTDUMP)
    madvise(chunk, Self.chunkSize, MADV_WIPEONFORK)
    // Linked from the end, so that slots are given out from the start.
    for index in stride(from: Self.chunkSize / Self.slotSize - 1, through: 0, by: -1) {
      let slot = chunk + index * Self.slotSize
      slot.storeBytes(of: state.free, as: UnsafeMutableRawPointer?.self)
      state.free = slot
    }
  }
}
