import CellSVG
import Glibc
import PINService
import SessionStore

/// Puts the configuration and the styles together from where they are.
struct Loading {
  private(set) var reader = ConfigurationReader()
  private let mayWait: Bool
  /// The keys that all nodes of a Redis share; nil without one.
  private(set) var ring: KeyRing?

  /// Flags before environment before file before default.
  ///
  /// - Parameter isAgain: whether a service runs already, which must not be kept by a pipe.
  init(_ options: Options, isAgain: Bool = false) {
    mayWait = !isAgain
    for mistake in options.mistakes { reader.fail(mistake) }
    if let file = options.configurationFile {
      switch Files.read(file, mayWait: mayWait) {
      case .success(let text): reader.readFile(text, named: file)
      case .failure(let error): reader.fail(error.description)
      }
    }
    reader.readEnvironment(Self.environment)
    if let listen = options.listen { reader.readListen(listen) }
    if let store = options.store { reader.readStore(store) }
    let keys = reader.configuration.apiKeysFile
    if !keys.isEmpty {
      switch Files.read(keys, mayWait: mayWait) {
      case .success(let text): reader.readKeys(String(decoding: text, as: UTF8.self))
      case .failure(let error): reader.failKeysFile(error.description)
      }
    }
    if reader.configuration.usesRedis && !reader.configuration.redisKeyFile.isEmpty {
      readRing(reader.configuration.redisKeyFile)
    }
    reader.finish()
  }

  private mutating func readRing(_ file: String) {
    switch Files.read(file, mayWait: mayWait) {
    case .failure(let error): reader.fail(in: "redis.keyFile", error.description)
    case .success(var text):
      defer { text.withUnsafeMutableBytes { bytes in bytes.baseAddress.map { explicit_bzero($0, bytes.count) } } }
      do throws(KeyRing.Mistake) {
        ring = try KeyRing(text.span.bytes)
      } catch {
        switch error {
        case .empty: reader.fail(in: "redis.keyFile", "\(file): has no key")
        case .line(let line): reader.fail(in: "redis.keyFile", "\(file): line \(line) is not 64 hexadecimal digits")
        case .twice(let line): reader.fail(in: "redis.keyFile", "\(file): the key of line \(line) is there twice")
        }
      }
    }
  }

  /// The program's styles and those of the directory.
  mutating func styles() -> StyleCatalog {
    var catalog = StyleFiles.embedded()
    let directory = reader.configuration.stylesDirectory
    guard !directory.isEmpty else { return catalog }
    let names: [String]
    switch Files.names(in: directory) {
    case .success(let found): names = found.filter { $0.hasSuffix(".json") }
    case .failure(let error):
      reader.fail(in: "styles.directory", error.description)
      return catalog
    }
    var files: [StyleFile] = []
    for name in names {
      switch Files.read("\(directory)/\(name)", mayWait: mayWait) {
      case .success(let text):
        switch text.withUnsafeBytes({ StyleFiles.read($0, named: String(name.dropLast(5))) }) {
        case .success(let file): files.append(file)
        case .failure(let mistake): fail(mistake, directory)
        }
      case .failure(let error): reader.fail(in: "styles.directory", error.description)
      }
    }
    for mistake in catalog.add(files) { fail(mistake, directory) }
    return catalog
  }

  /// Adds a mistake that shows only elsewhere.
  mutating func refuse(_ mistake: String) {
    if !reader.mistakes.contains(where: { $0.hasPrefix(mistake) }) { reader.fail(mistake) }
  }

  private mutating func fail(_ mistake: StyleFileMistake, _ directory: String) {
    let place = "\(directory)/\(mistake.style).json" + (mistake.member.isEmpty ? "" : ": \(mistake.member)")
    reader.fail(in: "styles.directory", "\(place): \(mistake.detail)")
  }

  /// Read once, as keys and passwords are wiped from where they are: /proc/PID/environ shows that memory.
  private static let environment = takeEnvironment()

  private static func takeEnvironment() -> Environment {
    var variables: [(String, String)] = []
    var place = environ
    while let entry = place.pointee {
      let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      place += 1
      guard parts.count == 2 else { continue }
      let name = String(parts[0])
      variables.append((name, String(parts[1])))
      if Environment.holdsSecrets(name) {
        let value = entry + name.utf8.count + 1
        explicit_bzero(value, strlen(value))
      }
    }
    return Environment(variables)
  }
}
