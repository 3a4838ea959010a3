/// How a store that is elsewhere is doing, since the start.
package struct StoreFigures: Sendable {
  /// Sessions asked for and edits committed.
  package let calls: Int
  /// How long they took, in all.
  package let microseconds: Int
  /// Those that got no answer.
  package let failures: Int
  /// Answers that could not be read.
  package let unreadable: Int
  /// Edits that were made again because another node was first.
  package let conflicts: Int
  /// Sessions that were found to have lost events.
  package let stepsBack: Int
}
