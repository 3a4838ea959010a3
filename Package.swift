// swift-tools-version: 6.2
import PackageDescription

let swift: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let c: [CSetting] = [
  .define("_GNU_SOURCE"),
  .treatAllWarnings(as: .error),
  .enableWarning("all"),
  .enableWarning("extra"),
  .unsafeFlags(["-fstack-protector-strong", "-fstack-clash-protection"]),
  // It needs an optimizer. Tests/Program/test_binary.py looks at what has become of all these.
  .define("_FORTIFY_SOURCE", to: "3", .when(configuration: .release)),
]

let package = Package(
  name: "pinpad",
  products: [.executable(name: "pinpad", targets: ["pinpad"])],
  targets: [
    .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd"),
    .systemLibrary(name: "CJansson", pkgConfig: "jansson"),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
    // Without its pkgConfig, which has a flag that SwiftPM warns of each time.
    .systemLibrary(name: "CHiredis"),
    .systemLibrary(name: "CProcess"),

    .target(name: "MicroHTTPShim", dependencies: ["CMicroHTTPD"], cSettings: c),
    .target(name: "StaticFiles", cSettings: c),
    .target(name: "WipingBuffer", swiftSettings: swift),
    .target(name: "WipingHeap", cSettings: c),
    .target(name: "WipingScratch", cSettings: c),
    .target(name: "JSONMemory", dependencies: ["WipingScratch", "CJansson"], cSettings: c),
    .target(name: "MicroHTTP", dependencies: ["MicroHTTPShim", "WipingBuffer"], swiftSettings: swift),
    .target(name: "PINEntry", swiftSettings: swift),
    .target(name: "CellSVG", dependencies: ["PINEntry", "WipingBuffer"], swiftSettings: swift),
    .target(
      name: "SessionStore", dependencies: ["PINEntry", "WipingBuffer", "CSodium", "CHiredis"], swiftSettings: swift),
    .target(
      name: "PINService",
      dependencies: [
        "PINEntry", "CellSVG", "SessionStore", "MicroHTTP", "WipingBuffer", "StaticFiles", "JSONMemory", "CJansson",
        "CSodium",
      ],
      swiftSettings: swift),
    .executableTarget(
      name: "pinpad",
      dependencies: [
        "PINService", "SessionStore", "MicroHTTP", "PINEntry", "CellSVG", "WipingBuffer", "WipingHeap", "CProcess",
      ],
      swiftSettings: swift,
      // A function bound at its first call has all vector registers saved on the stack, with what they last copied.
      linkerSettings: [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"])]),

    .target(name: "TestSupport", path: "Tests/Support", swiftSettings: swift),
    .testTarget(name: "PackageTests", swiftSettings: swift),
    .testTarget(
      name: "MicroHTTPTests", dependencies: ["MicroHTTP", "MicroHTTPShim", "WipingBuffer", "TestSupport"],
      swiftSettings: swift),
    .testTarget(name: "PINEntryTests", dependencies: ["PINEntry", "TestSupport"], swiftSettings: swift),
    .testTarget(
      name: "CellSVGTests",
      dependencies: ["CellSVG", "PINEntry", "WipingBuffer", "StaticFiles", "CJansson", "TestSupport"],
      swiftSettings: swift),
    .testTarget(name: "WipingBufferTests", dependencies: ["WipingBuffer", "WipingScratch"], swiftSettings: swift),
    .testTarget(
      name: "SessionStoreTests", dependencies: ["SessionStore", "PINEntry", "TestSupport"], swiftSettings: swift),
    .testTarget(
      name: "RedisTests", dependencies: ["SessionStore", "PINEntry", "WipingBuffer", "TestSupport"],
      swiftSettings: swift),
    .testTarget(
      name: "PINServiceTests",
      dependencies: ["PINService", "SessionStore", "CellSVG", "MicroHTTP", "PINEntry", "WipingBuffer", "TestSupport"],
      swiftSettings: swift),
    .testTarget(
      name: "CostTests", dependencies: ["PINService", "SessionStore", "CellSVG", "PINEntry", "WipingBuffer"],
      path: "Tests/Benchmarks/CostTests", swiftSettings: swift),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu2x
)

// They have no main but libFuzzer's, so they are there only for Tests/Fuzzing/run.
if Context.environment["PINPAD_FUZZERS"] != nil {
  package.products.append(.executable(name: "fuzzers", targets: ["Fuzzers"]))
  package.targets.append(
    .executableTarget(
      name: "Fuzzers",
      dependencies: ["PINService", "SessionStore", "CellSVG", "MicroHTTP", "PINEntry", "WipingBuffer"],
      path: "Tests/Fuzzing/Fuzzers", swiftSettings: swift + [.unsafeFlags(["-parse-as-library"])]))
}
