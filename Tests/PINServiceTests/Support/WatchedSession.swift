import CellSVG
import MicroHTTP
import PINEntry
import SessionStore
import WipingBuffer

@testable import PINService

/// A session on a clock that stands still until it is moved, of which those without a token see what it was at the last
/// point of a grid.
final class WatchedSession: Sendable {
  let clock = Locked(Instant(milliseconds: 1_000_000_000))
  let store: MemorySessionStore
  let session: SessionHandle
  /// What those who watch ask.
  let watched: PINService
  /// The same without a grid.
  let all: PINService

  init(step: Int, _ options: EntryOptions = EntryOptions()) throws {
    let clock = clock
    let still = Clock(
      now: { clock.withLock { $0 } }, seconds: { UInt32(clock.withLock { $0 }.milliseconds / 1000) })
    store = try MemorySessionStore(maximum: 10, memoryLock: .preferred, grid: step, clock: still) { _ in }
    let styles = StyleFiles.embedded()
    let log = Log { _ in true }
    watched = PINService(ServiceSettings(watchGrid: step), store: store, styles: styles, log: log, clock: still)
    all = PINService(ServiceSettings(), store: store, styles: styles, log: log, clock: still)
    session = try store.create(options, Presentation(label: "PIN", style: styles.standard.definition.defaultChoice))
  }

  var now: Int64 { clock.withLock { $0.milliseconds } }

  func move(to time: Int64) { clock.withLock { $0 = Instant(milliseconds: time) } }

  /// One edit; what is refused changes nothing.
  func edit<R>(
    message: String? = nil, presentation: Presentation? = nil, _ edit: (inout Session, Instant) throws(EditError) -> R
  ) {
    _ = session.access { access in
      let now = access.now
      _ = try? access.apply(message: message, presentation: presentation) { session throws(EditError) in
        try edit(&session, now)
      }
    }
  }

  /// Changes the options, or what the session shows.
  func configure(_ change: (EntryOptions, Presentation) -> (EntryOptions, Presentation)) {
    _ = session.access { access in
      let now = access.now
      let (options, presentation) = change(access.session.options, access.presentation)
      let isOther = presentation != access.presentation
      _ = try? access.apply(presentation: presentation) { session throws(EditError) in
        try session.configure(options, presentationChanged: isOther, at: now)
      }
    }
  }
}

/// An answer's entity tag and its body.
struct Tagged: Equatable {
  let tag: String
  let body: String
}

extension WatchedSession {
  /// The state, or nil once the session is gone.
  func state(_ service: PINService) -> Tagged? {
    guard
      case .done(let state) = session.access({ access in
        let text = StateText(access, service.sight(access), for: nil)
        return Tagged(tag: text.tag, body: string(text.document))
      })
    else { return nil }
    return state
  }

  /// The picture of some width, and whether it is not bound to the grid; nil once the session is gone.
  func picture(_ service: PINService, width: Int) -> (picture: Tagged, isShown: Bool)? {
    let styles = service.rules.styles
    guard
      case .done(let found) = session.access({ access in
        let isShown = Picturing.showsCharacters(access)
        let sight = service.sight(access, isTrusted: isShown)
        let drawn = Picturing.draw(access, sight, styles, width: width, height: nil) { _ in false }
        return (picture: Tagged(tag: drawn.tag, body: string(drawn.picture)), isShown: isShown)
      })
    else { return nil }
    return found
  }

  /// The answer to a poll that does not wait; nil once the session is gone.
  func poll(_ service: PINService, after id: String?) -> String? {
    guard
      case .done(let answer) = session.access({ access -> String? in
        let sight = service.sight(access)
        let cursor =
          id.map { id in
            Array(id.utf8).withUnsafeBytes { Cursor.resuming($0, in: access, sight, isTrusted: false) }
          } ?? .state(.start)
        guard let answer = PollText(after: cursor, showsText: false).document(access, sight, waits: false) else {
          return nil
        }
        return string(answer)
      })
    else { return nil }
    return answer
  }

  /// All that a stream says that is opened now, but for its first line.
  func stream(_ service: PINService, from id: String?) -> String? {
    guard
      case .done(let cursor) = session.access({ access in
        id.map { id in
          Array(id.utf8).withUnsafeBytes {
            Cursor.resuming($0, in: access, service.sight(access), isTrusted: false)
          }
        } ?? .state(.start)
      })
    else { return nil }
    let stream = SessionStream(session, from: cursor, showsText: false, service: service)
    var said = Bytes()
    while case .more = stream.next(into: &said, at: now) {}
    let text = string(said)
    return String(text[(text.firstIndex(of: "\n") ?? text.startIndex)...]) + (stream.hasFallenBehind() ? "behind" : "")
  }
}

private func string(_ bytes: borrowing Bytes) -> String { bytes.withBytes { String(decoding: $0, as: UTF8.self) } }
