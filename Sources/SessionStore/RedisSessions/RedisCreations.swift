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
    do throws(RedisError) {
      if let answer = try known(["GET", .text(name)], name, request, by: deadline) { return answer }
    } catch {
      return failed(error)
    }
    let creation = try create(deadline)
    var out = PackedWriter(capacity: 512)
    creation.write(request: request, to: &out)
    do throws(RedisError) {
      let answer = try out.bytes.withUnsafeBufferPointer { bytes throws(RedisError) in
        let value = RedisArgument.bytes(UnsafeRawBufferPointer(bytes))
        return try known(
          ["SET", .text(name), value, "PX", .number(Self.milliseconds), "NX", "GET"], name, request, by: deadline)
      }
      guard let answer else { return .created(creation) }
      takeBack(creation, by: deadline)
      return answer
    } catch {
      // Without a reply it may be remembered, now or in a moment, and whoever asks again is told of it: so it stays.
      if error != .replyLost { takeBack(creation, by: deadline) }
      return failed(error)
    }
  }

  /// Removes a session that is not remembered, so that nobody has its tokens, nor ever will. If this fails it goes at its
  /// time, and takes up room until then.
  private func takeBack(_ creation: Creation, by deadline: Deadline) {
    let keys = RedisKeys(creation.id)
    do throws(RedisError) {
      _ = try common.link.command(["DEL"] + keys.all, at: keys.slot, by: deadline)
      common.created.remove(creation.id)
    } catch {
      common.noteFailure(error)
    }
  }

  private func failed(_ error: RedisError) -> CreatedOnce {
    common.noteFailure(error)
    return .unavailable
  }

  /// Runs a command that gives what was kept under the name before; nil if nothing was.
  private func known(
    _ command: [RedisArgument], _ name: String, _ request: Hash128, by deadline: Deadline
  ) throws(RedisError) -> CreatedOnce? {
    try common.link.command(command, at: RedisSlot(key: name), by: deadline).withValue { value in
      value.bytes.map { read($0, request) }
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
