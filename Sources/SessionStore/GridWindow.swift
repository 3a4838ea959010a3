package import PINEntry

/// The time between two points of a grid, at which those who watch get to see what has happened since the last one.
///
/// Points are multiples of the step on the store's clock, which all nodes of a store share.
package struct GridWindow: Equatable, Sendable {
  /// The point that it begins at, which belongs to it.
  package let start: Instant
  /// The next point.
  package let end: Instant

  /// - Parameter step: ms between two points; 0: there is no grid, and no window.
  package init?(at now: Instant, step: Int64) {
    guard step > 0 else { return nil }
    let start = now.milliseconds - now.milliseconds % step
    self.start = Instant(milliseconds: start)
    end = Instant(milliseconds: start + step)
  }

  /// The first point that is not before `time`.
  func point(from time: Instant) -> Instant {
    let step = end.milliseconds - start.milliseconds
    return Instant(milliseconds: (time.milliseconds + step - 1) / step * step)
  }
}
