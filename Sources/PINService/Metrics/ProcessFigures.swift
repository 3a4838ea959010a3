import Glibc

/// What the system says of this process.
struct ProcessFigures {
  let residentBytes: Int
  let descriptors: Int
  let descriptorLimit: Int
  let threads: Int
  let cpuMicroseconds: Int

  static func read() -> ProcessFigures {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let statm = numbers("/proc/self/statm")
    // The fields after the name, which may hold anything: threads is the 20th of all (proc(5)).
    let stat = text("/proc/self/stat").split(separator: ")").last.map { Self.numbers(in: String($0)) } ?? []
    return ProcessFigures(
      residentBytes: (statm.count > 1 ? statm[1] : 0) * Int(sysconf(Int32(_SC_PAGESIZE))),
      descriptors: count("/proc/self/fd"), descriptorLimit: Int(clamping: limit.rlim_cur),
      threads: stat.count > 16 ? stat[16] : 0,
      cpuMicroseconds: seconds * 1_000_000 + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec))
  }

  private static func text(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private static func numbers(_ path: String) -> [Int] { numbers(in: text(path)) }

  private static func numbers(in text: String) -> [Int] { text.split(separator: " ").compactMap { Int($0) } }

  /// The entries of a directory, without itself and the one above, and without the one that reads it.
  private static func count(_ path: String) -> Int {
    guard let directory = opendir(path) else { return 0 }
    defer { closedir(directory) }
    var count = -3
    while readdir(directory) != nil { count += 1 }
    return max(0, count)
  }
}
