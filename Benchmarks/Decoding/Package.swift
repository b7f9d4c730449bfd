// swift-tools-version: 6.2
import PackageDescription

// The decoder's benchmark: a package of its own, so that nobody builds it who only wants the
// program. `make bench` runs it.

let package = Package(
  name: "decoding-benchmark",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "freshet", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "DecodingBenchmark",
      dependencies: [
        .product(name: "JobsClient", package: "freshet"),
        .product(name: "TolerantDecoding", package: "freshet"),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)
