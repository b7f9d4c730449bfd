// swift-tools-version: 6.2
import PackageDescription

// A server of its own resource, kept fresh by FreshnessServer, and a program that follows it.
let package = Package(
  name: "Thermometer",
  platforms: [.iOS(.v18), .macOS(.v15)],
  dependencies: [
    .package(name: "freshet", path: "../.."),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird.git",
      from: "2.28.0",
      traits: []
    ),
  ],
  targets: [
    .executableTarget(
      name: "ThermometerServer",
      dependencies: [
        .product(name: "FreshnessServer", package: "freshet"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]
    ),
    .target(
      name: "ServerSnippets",
      dependencies: [
        .product(name: "FreshnessServer", package: "freshet"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]
    ),
    .executableTarget(
      name: "ThermometerReader",
      dependencies: [.product(name: "FreshetKit", package: "freshet")]
    ),
  ]
)
