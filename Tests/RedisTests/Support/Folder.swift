import Glibc

/// An empty folder that goes away with this value.
final class Folder {
  let path: String

  init() throws {
    var template = Array("/tmp/pinpad-redis-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ChildProcess.Failure(description: "no folder can be made") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    if let directory = opendir(path) {
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != "." && name != ".." { remove("\(path)/\(name)") }
      }
    }
    _ = Glibc.remove(path)
  }

  /// A file's text without white space around it.
  func text(of name: String) -> String {
    guard let file = fopen("\(path)/\(name)", "r") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  func write(_ text: String, to name: String) throws {
    guard let file = fopen("\(path)/\(name)", "w") else {
      throw ChildProcess.Failure(description: "\(name) can't be written")
    }
    fputs(text, file)
    fclose(file)
  }

  /// The program `redis-server`. Debian's package of it would start a service; that of the tools has the same file
  /// under another name, and which program it is goes by its name.
  func redisServer() throws -> String {
    let program = path + "/redis-server"
    guard symlink("/usr/bin/redis-check-rdb", program) == 0 || errno == EEXIST else {
      throw ChildProcess.Failure(description: "no link can be made")
    }
    return program
  }
}
