internal import PINEntry

/// The creations in a Redis that may be asked for again: those of the last ten minutes.
struct RedisCreations: Sendable {
  let common: RedisCommon

  private static let milliseconds: Int64 = 600_000

  /// Creates, or gives again what was created with the key. Of two at once with one key one gives the other's session,
  /// and takes its own back.
  ///
  /// - Parameter deadline: until when all of it may take.
  func once<E: Error>(
    _ key: CreationKey, request: Hash128, by deadline: Deadline, _ create: (Deadline?) throws(E) -> Creation
  ) throws(E) -> CreatedOnce {
    let name = "pinpad:creation:{\(key.text)}"
    switch known(["GET", .text(name)], name, request, by: deadline) {
    case .nothing: break
    case .told(let answer): return answer
    }
    let creation = try create(deadline)
    var out = PackedWriter(capacity: 512)
    creation.write(request: request, to: &out)
    let found = out.bytes.withUnsafeBytes { bytes in
      known(
        ["SET", .text(name), .bytes(bytes), "PX", .number(Self.milliseconds), "NX", "GET"], name, request, by: deadline)
    }
    switch found {
    case .nothing: return .created(creation)
    case .told(let answer):
      // If this fails it goes at its time: nobody has its tokens.
      let keys = RedisKeys(creation.id)
      _ = try? common.link.command(["DEL"] + keys.all, at: keys.slot, by: deadline)
      common.created.remove(creation.id)
      return answer
    }
  }

  private enum Found {
    case nothing
    case told(CreatedOnce)
  }

  /// Runs a command that gives what was kept under the name before.
  private func known(
    _ command: [RedisArgument], _ name: String, _ request: Hash128, by deadline: Deadline
  ) -> Found {
    do throws(RedisError) {
      return try common.link.command(command, at: RedisSlot(key: name), by: deadline).withValue { value in
        guard let bytes = value.bytes else { return .nothing }
        return .told(read(bytes, request))
      }
    } catch {
      common.noteFailure(error)
      return .told(.unavailable)
    }
  }

  private func read(_ bytes: UnsafeRawBufferPointer, _ request: Hash128) -> CreatedOnce {
    do throws(RecordError) {
      let known = try Creation.read(bytes)
      return known.request == request ? .created(known.creation.again) : .otherRequest
    } catch {
      common.couldNotRead(.record)
      return .unavailable
    }
  }
}
