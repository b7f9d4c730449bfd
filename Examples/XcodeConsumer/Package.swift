// swift-tools-version: 6.2
import PackageDescription

// A library with the settings that Xcode 26 gives a new app: main-actor isolation by default, approachable concurrency,
// member import visibility.
let package = Package(
  name: "XcodeConsumer",
  platforms: [.iOS(.v18), .macOS(.v15)],
  dependencies: [.package(name: "freshet", path: "../..", traits: [])],
  targets: [
    .target(
      name: "XcodeConsumer",
      dependencies: [.product(name: "FreshetKit", package: "freshet")],
      swiftSettings: [
        .defaultIsolation(MainActor.self),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .treatAllWarnings(as: .error),
      ]
    )
  ]
)
