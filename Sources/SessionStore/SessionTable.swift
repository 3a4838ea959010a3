internal import PINEntry

/// Sessions by id: open addressing, at most half full. Ids are random numbers of the store's own, so that their bits
/// are as good as any hash of them.
struct SessionTable: ~Copyable {
  private var places = [MemorySession?](repeating: nil, count: 16)
  private var count = 0

  private var mask: Int { places.count - 1 }

  func find(_ id: SessionID) -> MemorySession? {
    var place = home(of: id)
    while let session = places[place] {
      if session.id == id { return session }
      place = (place + 1) & mask
    }
    return nil
  }

  mutating func insert(_ session: MemorySession) {
    if (count + 1) * 2 > places.count { grow() }
    put(session)
    count += 1
  }

  mutating func remove(_ id: SessionID) {
    var free = home(of: id)
    while let session = places[free], session.id != id { free = (free + 1) & mask }
    guard places[free] != nil else { return }
    count -= 1
    // What was put behind the free place for want of it moves up, so that no search ends too early.
    var place = free
    while true {
      places[free] = nil
      var home: Int
      repeat {
        place = (place + 1) & mask
        guard let session = places[place] else { return }
        home = self.home(of: session.id)
      } while (place - home) & mask < (place - free) & mask
      places[free] = places[place]
      free = place
    }
  }

  private func home(of id: SessionID) -> Int { Int(truncatingIfNeeded: id.high) & mask }

  private mutating func put(_ session: MemorySession) {
    var place = home(of: session.id)
    while places[place] != nil { place = (place + 1) & mask }
    places[place] = session
  }

  private mutating func grow() {
    let old = places
    places = [MemorySession?](repeating: nil, count: old.count * 2)
    for case .some(let session) in old { put(session) }
  }
}
