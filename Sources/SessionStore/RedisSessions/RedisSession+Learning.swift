internal import PINEntry

// What Redis answers to an edit or a look, and what becomes of the copy.
extension RedisSession {
  enum Finish {
    case done, again, gone, unavailable
  }

  /// - Parameter deadline: until when it may take to load what Redis has.
  func finish(
    _ answer: RedisAnswer?, _ edit: consuming SessionCopy, _ base: SessionCopy.Base,
    _ woken: inout [any SessionWatcher], by deadline: Deadline
  ) -> Finish {
    switch answer {
    case .made, .same:
      take(edit, instead: base, &woken)
      return .done
    case .other, .gone, nil:
      return learn(answer, base, &woken, by: deadline)
    case .late:
      return .again
    }
  }

  /// Takes a committed edit for the copy, unless somebody else has learnt of a newer one meanwhile.
  private func take(_ edit: consuming SessionCopy, instead base: SessionCopy.Base, _ woken: inout [any SessionWatcher])
  {
    let isNews = edit.base?.eventID != base.eventID
    if isNews, let end = edit.content.record?.pointee.lastMoment { common.created.change(id, until: end) }
    var edit = edit
    let (isWatched, deadline) = state.withLock { state in
      guard state.copy.stamp == base.stamp, state.copy.content.record != nil else {
        return (!state.watchers.isEmpty, Instant(milliseconds: 0))
      }
      if isNews { woken = state.watchers }
      // If Redis has not been asked, no more is known of what it has than was before.
      if !base.isNewest || edit.stamp != base.stamp { state.seen = base.number }
      swap(&state.copy, &edit)
      return (!state.watchers.isEmpty, state.copy.content.record?.pointee.deadline ?? .never)
    }
    if isWatched { common.watched.note(deadline) }
  }

  /// Makes what Redis has the copy, if it's another. What was asked for was `base`.
  func learn(
    _ answer: RedisAnswer?, _ base: SessionCopy.Base, _ woken: inout [any SessionWatcher], by deadline: Deadline
  ) -> Finish {
    switch answer {
    case .made, .same, .late: return .done
    case nil: return .unavailable
    case .gone:
      state.withLock { state in
        state.copy.drop()
        woken = state.watchers
      }
      return .gone
    case .other(let loaded):
      common.counts.conflicted()
      return learn(loaded, base, &woken, by: deadline)
    }
  }

  private func learn(
    _ loaded: LoadedSession, _ base: SessionCopy.Base, _ woken: inout [any SessionWatcher], by deadline: Deadline
  ) -> Finish {
    do throws(LoadingError) {
      try replace(base, &woken) { old, _ throws(LoadingError) in
        try old.next(loaded, at: common.clock.now(), in: common)
      }
      return .again
    } catch {
      switch error {
      case .noMemory: return .unavailable
      case .unreadable(let reason):
        common.couldNotRead(reason)
        return .unavailable
      case .steppedBack: return stepBack(base, &woken, by: deadline)
      }
    }
  }

  /// Redis has lost what this process knew: all of it is loaded, and those who watch are told of a gap.
  private func stepBack(
    _ base: SessionCopy.Base, _ woken: inout [any SessionWatcher], by deadline: Deadline
  ) -> Finish {
    common.counts.steppedBack()
    let answer = SessionCopy.look(.nothing, keys, in: common, by: deadline)
    guard case .other(let loaded) = answer else { return learn(answer, base, &woken, by: deadline) }
    do throws(LoadingError) {
      try replace(base, &woken) { old, readers throws(LoadingError) in
        try old.another(loaded, readers: readers, at: common.clock.now(), in: common)
      }
      return .again
    } catch {
      if case .unreadable(let reason) = error { common.couldNotRead(reason) }
      return .unavailable
    }
  }

  /// Makes another copy of the one that was the base, unless there is a newer one already.
  private func replace(
    _ base: SessionCopy.Base, _ woken: inout [any SessionWatcher],
    by make: (borrowing SessionCopy, Int) throws(LoadingError) -> SessionCopy
  ) throws(LoadingError) {
    let deadline = try state.withLock { state throws(LoadingError) -> Instant in
      guard state.copy.stamp == base.stamp, state.copy.content.record != nil else { return .never }
      let new = try make(state.copy, state.watchers.count)
      if new.content.isNews(after: state.copy.content) { woken = state.watchers }
      state.copy = new
      state.seen = base.number
      return state.watchers.isEmpty ? .never : state.copy.content.record?.pointee.deadline ?? .never
    }
    common.watched.note(deadline)
  }
}

extension SessionContent {
  fileprivate func isNews(after old: borrowing SessionContent) -> Bool {
    history != old.history || record?.pointee.eventID != old.record?.pointee.eventID
  }
}
