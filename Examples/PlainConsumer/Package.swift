// swift-tools-version: 6.2
import PackageDescription

// A library without any settings, and one in the language mode of Swift 5.
let package = Package(
  name: "PlainConsumer",
  platforms: [.iOS(.v18), .macOS(.v15)],
  dependencies: [.package(name: "freshet", path: "../..", traits: [])],
  targets: [
    .target(
      name: "PlainConsumer",
      dependencies: [
        .product(name: "FreshetKit", package: "freshet"),
        .product(name: "FreshnessTesting", package: "freshet"),
      ]
    ),
    .target(
      name: "OlderConsumer",
      dependencies: [.product(name: "FreshnessRuntime", package: "freshet")],
      swiftSettings: [.swiftLanguageMode(.v5)]
    ),
  ]
)
