import Testing

/// SwiftPM's own check lets through what is reachable by way of a dependency, Foundation, and every C header.
@Suite struct WallsTests {
  /// What the Swift files of each target may import. Arrows go down only, and nobody imports Foundation.
  static let imports: [String: Set<String>] = [
    "WipingBuffer": ["Glibc"],
    "MicroHTTP": ["Glibc", "MicroHTTPShim", "Synchronization", "WipingBuffer"],
    "PINEntry": [],
    "CellSVG": ["PINEntry", "WipingBuffer"],
    "SessionStore": ["CHiredis", "CSodium", "Glibc", "PINEntry", "Synchronization", "WipingBuffer"],
    "PINService": [
      "CJansson", "CSodium", "CellSVG", "Glibc", "JSONMemory", "MicroHTTP", "PINEntry", "SessionStore", "StaticFiles",
      "Synchronization", "WipingBuffer",
    ],
    "pinpad": [
      "CProcess", "CellSVG", "Glibc", "MicroHTTP", "PINEntry", "PINService", "SessionStore", "WipingBuffer",
    ],
  ]

  /// What the C files of each target may include or embed, besides their own headers and those of the C library.
  static let includes: [String: Set<String>] = [
    "CMicroHTTPD": ["<microhttpd.h>"],
    "CJansson": ["<jansson.h>"],
    "CSodium": ["<sodium.h>"],
    "CHiredis": ["<hiredis/hiredis.h>"],
    "CProcess": ["<sys/prctl.h>"],
    "MicroHTTPShim": ["<microhttpd.h>"],
    "JSONMemory": ["<jansson.h>", "<WipingScratch.h>"],
    "StaticFiles": [],
    "WipingHeap": [],
    "WipingScratch": [],
  ]

  static let libraryHeaders: Set<String> = [
    "<arpa/inet.h>", "<errno.h>", "<fcntl.h>", "<limits.h>", "<malloc.h>", "<netinet/in.h>", "<netinet/tcp.h>",
    "<pthread.h>", "<signal.h>", "<stdalign.h>", "<stdarg.h>", "<stdatomic.h>", "<stdbool.h>", "<stddef.h>",
    "<stdint.h>", "<stdio.h>", "<stdlib.h>", "<string.h>", "<strings.h>", "<sys/epoll.h>", "<sys/eventfd.h>",
    "<sys/ioctl.h>", "<sys/random.h>", "<sys/socket.h>", "<sys/types.h>", "<sys/uio.h>", "<sys/un.h>", "<time.h>",
    "<unistd.h>",
  ]

  @Test func `each target is in one of the tables`() {
    let targets = Repository.names(in: "Sources")
    #expect(targets == (Array(Self.imports.keys) + Self.includes.keys).sorted())
  }

  @Test(arguments: imports.keys.sorted())
  func `a Swift target imports what its table allows`(_ target: String) {
    let files = Repository.files(under: "Sources/\(target)")
    #expect(!files.isEmpty)
    for file in files {
      #expect(file.hasSuffix(".swift"), "\(file) is not Swift")
      let foreign = Set(Source(file).imports).subtracting(Self.imports[target] ?? [])
      #expect(foreign.isEmpty, "\(file) imports \(foreign.sorted())")
    }
  }

  @Test(arguments: includes.keys.sorted())
  func `a C target includes what its table allows`(_ target: String) {
    let files = Repository.files(under: "Sources/\(target)")
    #expect(!files.isEmpty)
    let own = Set(files.compactMap { $0.split(separator: "/").last.map { "\"\($0)\"" } })
    for file in files {
      #expect(!file.hasSuffix(".swift"), "\(file) is Swift")
      let allowed = own.union(Self.includes[target] ?? []).union(Self.libraryHeaders)
      let foreign = Set(Source(file).includes).subtracting(allowed)
      #expect(foreign.isEmpty, "\(file) includes \(foreign.sorted())")
    }
  }

  @Test(arguments: [
    ("import Glibc", ["Glibc"]),
    ("  @preconcurrency import Glibc", ["Glibc"]),
    ("package import struct PINEntry.Session // why", ["PINEntry"]),
    ("@_spi(X) internal  import func Glibc.open\nimport Foundation", ["Glibc", "Foundation"]),
    ("// import Foundation\nlet importance = 1\nimportant()", []),
    ("#if canImport(Foundation)\nimport Foundation\n#endif", ["Foundation"]),
    ("import Glibc; import Foundation", ["Glibc", "Foundation"]),
  ])
  func `imports are found however they are written`(_ text: String, _ expected: [String]) {
    #expect(Source(text: text).imports == expected)
  }

  @Test func `includes are found however they are written`() {
    let source = Source(
      text: "#include <a/b.h> // why\n  #  include \"c.h\"\n#embed \"d.txt\" limit(1)\n// #include <e.h>")
    #expect(source.includes == ["<a/b.h>", "\"c.h\""])
  }
}

/// What a source file asks for.
private struct Source {
  private let lines: [Substring]

  init(_ file: String) { self.init(text: Repository.text(of: file)) }

  init(text: String) { lines = text.split { $0 == "\n" || $0 == ";" } }

  /// The modules that are imported.
  var imports: [String] {
    lines.compactMap { line in
      let pattern =
        #/
        \s* (?: @\w+ (?: \( .*? \) )? \s+ )*
        (?: (?: public | package | internal | fileprivate | private ) \s+ )?
        import \s+
        (?: (?: typealias | struct | class | enum | protocol | let | var | func ) \s+ )?
        (\w+)
        /#
      return line.prefixMatch(of: pattern).map { String($0.1) }
    }
  }

  /// The headers that are included, with their quotes or brackets.
  var includes: [String] {
    lines.compactMap { line in
      line.prefixMatch(of: /\s*#\s*(?:include|include_next|import)\s*([<"][^>"]*[>"])/).map { String($0.1) }
    }
  }
}
