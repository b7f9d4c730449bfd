// swift-tools-version: 6.2
import PackageDescription

// The decoder's benchmark, in a separate package so that building the program does not build it.
// `make bench` runs it.

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
