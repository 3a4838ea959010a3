import Glibc

/// Reading files, and writing to the standard streams, without Foundation.
enum Files {
  /// More than any file of settings, keys or styles is in need of.
  private static var most: Int { 1 << 22 }

  /// A file's bytes, or why it can't be read.
  ///
  /// - Parameter mayWait: whether it may be a pipe, for which somebody has to be waited.
  static func read(_ path: String, mayWait: Bool) -> Result<[UInt8], FileError> {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | (mayWait ? 0 : O_NONBLOCK))
    guard descriptor >= 0 else { return .failure(FileError(path)) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .failure(FileError(path)) }
    // A directory says so itself when it is read.
    guard mayWait || status.st_mode & S_IFMT == S_IFREG || status.st_mode & S_IFMT == S_IFDIR else {
      return .failure(FileError(path, "is no regular file"))
    }
    guard status.st_size <= most else { return .failure(FileError(path, "has more than \(most) bytes")) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      guard count >= 0 else { return .failure(FileError(path)) }
      if count == 0 { return .success(bytes) }
      bytes += chunk[..<count]
      // Some have no end.
      guard bytes.count <= most else { return .failure(FileError(path, "has more than \(most) bytes")) }
    }
  }

  /// What speaks against keeping a secret in a file: that others than its owner may read it. Nil if nothing does.
  static func readers(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & (S_IRGRP | S_IROTH) != 0 else { return nil }
    let readers = status.st_mode & S_IROTH != 0 ? "everybody" : "its group"
    return "\(path): \(readers) may read it, and so what Redis keeps: chmod 600 it"
  }

  /// The names in a directory, sorted.
  static func names(in path: String) -> Result<[String], FileError> {
    guard let directory = opendir(path) else { return .failure(FileError(path)) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      names.append(name)
    }
    return .success(names.sorted())
  }

  static func writeOut(_ text: String) { write(text, to: STDOUT_FILENO) }

  static func writeError(_ text: String) { write(text, to: STDERR_FILENO) }

  /// - Returns: false if not all could be written.
  @discardableResult
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0 && errno == EINTR { continue }
      // Another process that has it too may have made it one that never waits.
      if count < 0 && errno == EAGAIN {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wanted, 1, -1)
        continue
      }
      // Whoever was to read it has gone.
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    _ = text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
  }
}

/// Why a file can't be read.
struct FileError: Error, CustomStringConvertible {
  let description: String

  /// With the system's last error.
  init(_ path: String) { self.init(path, String(cString: strerror(errno))) }

  init(_ path: String, _ reason: String) { description = "\(path): \(reason)" }
}
