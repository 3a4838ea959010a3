import SessionStore

/// What became of a call.
enum Result: Equatable {
  case text(String?)
  case failed(RedisError)

  var isUnavailable: Bool {
    guard case .failed(.unavailable) = self else { return false }
    return true
  }
}

extension RedisLink {
  /// Sends a command whose second word is its key, if it has one.
  func send(_ words: String...) -> Result {
    do throws(RedisError) {
      let slot = RedisSlot(key: words.count > 1 ? words[1] : "")
      return .text(try command(words.map { .text($0) }, at: slot).text)
    } catch {
      return .failed(error)
    }
  }
}
