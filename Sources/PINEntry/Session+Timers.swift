/// Time: what is due, when, and what it does.
extension Session {
  /// How long a closed session still answers, in seconds.
  package static let retention: UInt32 = 300

  /// The next moment at which something happens by itself: a timer of an open session, the end of a closed one.
  package var deadline: Instant {
    status == .open ? min(totalDeadline, pauseDeadline) : since.adding(seconds: Self.retention)
  }

  /// Whether a closed session has been kept for long enough.
  package func isOver(at now: Instant) -> Bool { status != .open && deadline <= now }

  /// Lets a closed session answer until then.
  package mutating func delayEnd(to time: Instant) {
    guard status != .open else { return }
    since = Instant(milliseconds: time.milliseconds - Int64(Self.retention) * 1000)
  }

  /// Fires the first timer that is due, as of the moment at which it was due; false if there is none.
  package mutating func fireTimer(at now: Instant) -> Bool {
    guard status == .open, deadline <= now else { return false }
    if pauseDeadline < totalDeadline {
      endEntry(.timeout)
    } else {
      close(as: .expired, ending: .timeout, at: totalDeadline)
    }
    seal()
    return true
  }

  /// When an open session expires.
  package var totalDeadline: Instant { createdAt.adding(seconds: options.timeouts.total) }

  /// The last moment at which it still answers, if nobody changes it any more.
  package var lastMoment: Instant { (status == .open ? totalDeadline : since).adding(seconds: Self.retention) }

  private var pauseDeadline: Instant {
    let seconds =
      switch pause {
      case .none: UInt32(0)
      case .beforeFirstInput: options.timeouts.firstInput
      case .betweenInputs: options.timeouts.interDigit
      }
    return seconds == 0 ? .never : since.adding(seconds: seconds)
  }
}
