import Glibc

/// The files that belong to the project, as they lie there.
enum Repository {
  /// Where the package is.
  private static let root: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    return parts.joined(separator: "/")
  }()

  /// What tools make; `.gitignore` has the same names.
  static let made: Set<String> = [
    ".build", ".build-*", ".venv", "__pycache__", ".pytest_cache", ".hypothesis", "keys", "cells.svg",
  ]

  /// Names directly in a folder, without what tools make and without git's own.
  static func names(in folder: String = "") -> [String] {
    guard let directory = opendir(path(folder)) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != "..", name != ".git", !made.contains(name), !name.hasPrefix(".build-") {
        names.append(name)
      }
    }
    return names.sorted()
  }

  /// Paths of all files under a folder, from the root.
  static func files(under folder: String = "") -> [String] {
    names(in: folder).flatMap { name in
      let file = folder.isEmpty ? name : "\(folder)/\(name)"
      return isFolder(file) ? files(under: file) : [file]
    }
  }

  /// A file's text; bytes that are not UTF-8 are replaced.
  static func text(of file: String) -> String {
    guard let stream = fopen(path(file), "r") else { return "" }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&part, 1, part.count, stream), count > 0 { bytes += part[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isFolder(_ file: String) -> Bool {
    var status = stat()
    return lstat(path(file), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func path(_ file: String) -> String { file.isEmpty ? root : "\(root)/\(file)" }
}
