internal import PINEntry

/// The newest events of a session. It grows on first use; from 256 on the newest takes the place of the oldest.
struct EventLog {
  private var records: [EventRecord] = []
  /// Where the oldest is once the log is full.
  private var start = 0

  /// How many events a session keeps.
  static let capacity = 256

  var count: Int { records.count }

  var oldest: EventRecord? { records.isEmpty ? nil : records[start] }

  mutating func append(_ record: EventRecord) {
    guard records.count == Self.capacity else { return records.append(record) }
    records[start] = record
    start = (start + 1) % Self.capacity
  }

  /// The event that has `age` newer ones; nil if it is not kept any more.
  func record(age: UInt64) -> EventRecord? {
    guard age < UInt64(records.count) else { return nil }
    return records[(start + records.count - 1 - Int(age)) % records.count]
  }
}
