// swift-tools-version: 6.2
import PackageDescription

// The engine's benchmarks, in a separate package so that building the program does not build them.
// `make bench` runs it.

let package = Package(
  name: "engine-benchmark",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "freshet", path: "../..", traits: []),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "EngineBenchmark",
      dependencies: [
        .product(name: "Freshness", package: "freshet"),
        .product(name: "FreshnessRuntime", package: "freshet"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)
