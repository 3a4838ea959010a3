import Testing

@Suite struct TreeTests {
  @Test func `the top has only what it is agreed to have`() {
    let agreed: Set<String> = [
      ".ci", ".dockerignore", ".gitignore", ".swift-format", "Config", "Dockerfile", "LICENSE", "Package.resolved",
      "Package.swift", "README.md", "Sources", "Tests",
    ]
    #expect(Set(Repository.names()).subtracting(agreed).isEmpty)
    #expect(Repository.names().contains("Package.swift"))
  }

  @Test func `git ignores what tools make`() {
    let ignored = Repository.text(of: ".gitignore").split(separator: "\n").map { $0.filter { $0 != "/" } }
    #expect(Set(ignored).isSuperset(of: Repository.made))
  }

  @Test func `what tools make, and the keys that the README has made here, come into no image`() {
    let lines = Repository.text(of: ".dockerignore").split(separator: "\n")
    let ignored = lines.compactMap { $0.split(separator: "/").last }
    for name in Repository.made {
      let isIgnored = ignored.contains { $0.last == "*" ? name.hasPrefix($0.dropLast()) : name == $0 }
      #expect(isIgnored, "\(name) is not in .dockerignore")
    }
  }

  @Test func `no file names a place on somebody's machine`() {
    // Put together here, so that this file has none either.
    let places = ["ro" + "ot", "ho" + "me", "wo" + "rk", "Us" + "ers"].map { "/\($0)/" }
    let files = Repository.files()
    #expect(files.contains("Package.swift"))
    for file in files where file != "LICENSE" {
      let text = Repository.text(of: file)
      for place in places { #expect(!text.contains(place), "\(file) has \(place)") }
    }
  }

  @Test func `a source file has at most 300 lines`() {
    for file in Repository.files(under: "Sources") where file.hasSuffix(".swift") || file.hasSuffix(".c") {
      let lines = Repository.text(of: file).split(separator: "\n", omittingEmptySubsequences: false).count - 1
      #expect(lines <= 300, "\(file) has \(lines) lines")
    }
  }
}
