// swift-tools-version: 6.2
import PackageDescription

// The engine's benchmarks: a package of its own, so that nobody builds them who only wants the
// program. `make bench` runs it.

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
