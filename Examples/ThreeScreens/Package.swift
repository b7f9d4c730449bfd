// swift-tools-version: 6.2
import PackageDescription

// An app of three screens. Without the trait `Server` the package brings nothing but the libraries for apps.
let package = Package(
  name: "ThreeScreens",
  platforms: [.iOS(.v18), .macOS(.v15)],
  dependencies: [.package(name: "freshet", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "ThreeScreens",
      dependencies: [.product(name: "FreshetKit", package: "freshet")]
    )
  ]
)
