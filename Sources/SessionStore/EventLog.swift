internal import PINEntry

/// The newest events of a session. It grows on first use; from 256 on the newest takes the place of the oldest.
///
/// Memory of its own, and not an array: a session with few events then takes a quarter less for them. Every access is
/// below `capacity`, which is a power of two and what was allocated.
struct EventLog: ~Copyable {
  private var records: UnsafeMutablePointer<EventRecord>?
  private var capacity: UInt16 = 0
  private(set) var count: UInt16 = 0
  /// Where the next one goes.
  private var end: UInt16 = 0

  /// How many events a session keeps.
  static let maximum: UInt16 = 256

  private static let first: UInt16 = 4

  init() {}

  deinit { records?.deallocate() }

  /// The same, to be changed apart.
  func copy() -> EventLog {
    var copy = EventLog()
    if let records {
      let new = UnsafeMutablePointer<EventRecord>.allocate(capacity: Int(capacity))
      // Of a log that has not gone round only the beginning was ever written.
      new.initialize(from: records, count: Int(count))
      copy.records = new
    }
    copy.capacity = capacity
    copy.count = count
    copy.end = end
    return copy
  }

  var oldest: EventRecord? { count == 0 ? nil : record(age: UInt64(count) - 1) }

  mutating func append(_ record: EventRecord) {
    if count == capacity && capacity < Self.maximum { grow() }
    records?[Int(end)] = record
    end = (end + 1) & (capacity - 1)
    count = min(count + 1, capacity)
  }

  /// The event that has `age` newer ones; nil if it is not kept any more.
  func record(age: UInt64) -> EventRecord? {
    guard age < UInt64(count) else { return nil }
    return records?[Int((end &- 1 &- UInt16(age)) & (capacity - 1))]
  }

  private mutating func grow() {
    let size = max(Self.first, capacity * 2)
    let new = UnsafeMutablePointer<EventRecord>.allocate(capacity: Int(size))
    // A log that has room to grow has not gone round yet: the oldest is at its beginning.
    if let records { new.update(from: records, count: Int(count)) }
    records?.deallocate()
    records = new
    capacity = size
    end = count
  }
}
