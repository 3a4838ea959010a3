import MicroHTTP
import PINEntry
import SessionStore
import WipingBuffer

/// The requests of a keypad.
enum Editing {
  /// What one of them does to a session.
  enum Edit {
    case begin, insert, deleteBackward, clear, set, end
  }

  static func respond(
    to edit: Edit, _ service: PINService, _ request: borrowing Request, _ call: SessionCall
  ) throws(Problem) -> Reply {
    var body = try BodyReader(request.body)
    let key = try IdempotencyKey(request, service.hashing)
    let text = read(edit, &body)
    let at =
      edit == .insert || edit == .deleteBackward ? body.integer("at", in: 0...EntryOptions.lengths.upperBound) : nil
    let answer = try call.session.editOnce(key) { (access: inout SessionAccess) throws(Problem) in
      try body.check()
      let precondition = Precondition(revision: try EntityTags.revisions(request), count: at)
      return try access.make(edit, text, if: precondition)
    }
    return answer.reply()
  }

  /// The text of an edit that has one; the pointer is valid as long as the body.
  private static func read(_ edit: Edit, _ body: inout BodyReader) -> UnsafeBufferPointer<UInt8>? {
    switch edit {
    case .insert:
      body.allow("text", "at")
      return body.utf8("text", most: maximumText, isRequired: true)
    case .set:
      body.allow("text")
      return body.utf8("text", most: maximumText, isRequired: true)
    case .deleteBackward:
      body.allow("at")
      return nil
    case .begin, .clear, .end:
      body.allow()
      return nil
    }
  }

  /// Unicode scalars of a `text`, dropped ones included.
  private static let maximumText = 256
}

extension SessionAccess {
  /// Makes one edit of a keypad.
  fileprivate mutating func make(
    _ edit: Editing.Edit, _ text: UnsafeBufferPointer<UInt8>?, if precondition: Precondition
  ) throws(Problem) -> Insertion? {
    // Valid while the body is, which the caller owns.
    let utf8 = unsafe Span(_unsafeElements: text ?? UnsafeBufferPointer(start: nil, count: 0))
    let now = now
    return try refusing { access throws(EditError) in
      try access.apply { session throws(EditError) -> Insertion? in
        switch edit {
        case .begin: try session.begin(if: precondition, at: now)
        case .insert: return try session.insert(utf8, if: precondition, at: now)
        case .deleteBackward: try session.deleteBackward(if: precondition, at: now)
        case .clear: try session.clear(if: precondition, at: now)
        case .set: return try session.set(utf8, if: precondition, at: now)
        case .end: try session.end(if: precondition, at: now)
        }
        return nil
      }
    }
  }

  /// Runs an edit; what the model refuses becomes a problem that shows the state.
  mutating func refusing<R>(_ body: (inout SessionAccess) throws(EditError) -> R) throws(Problem) -> R {
    do throws(EditError) {
      return try body(&self)
    } catch {
      throw Problem(error, snapshot)
    }
  }
}
