// swift-tools-version: 6.2
import PackageDescription

// Layers, from the lowest up. A target depends only on targets listed above it; Scripts/check-layers checks it.
// ARCHITECTURE.md says what each target does.

/// The targets of each domain; a target's folder is Sources/<domain>/<target>.
let domains = [
  "Engine": [
    "Freshness", "FreshnessRuntime", "FreshnessTesting", "ConformanceVectors", "FreshnessWire",
    "FreshnessWasm",
  ],
  "HTTP": [
    "ConditionalHTTP", "EventFeed", "FreshResponses", "URLSessionTransport", "WebSocketNIO",
    "NIOTransport", "Serving", "FreshnessServer",
  ],
  "Base": [
    "Hashing", "StrictJSON", "TolerantDecoding", "TerminalText", "CProcess", "CZlib", "Storage",
    "CPostgres", "PostgresClient", "PostgresSharing",
  ],
  "Boards": [
    "Stationboard", "StationboardClient", "CZip", "GTFS", "Timetable", "GTFSRealtime",
    "FeedRecording", "StationboardServer", "MesDepartsDialect",
  ],
  "Worktrees": [
    "Workspaces", "WorkspacesClient", "Git", "WorktreeWatch", "Agents", "AgentWatch",
    "WorkspacesServer", "CatnipDialect", "WorkspacesTerminal",
  ],
  "Jobs": [
    "Jobs", "JobsClient", "Books", "BookLibrary", "BookScan", "BookPipelines", "JobsServer",
    "BooksTrackDialect", "JobsWasm",
  ],
  "Apps": [
    "FreshetKit"
  ],
  "Lab": [
    "Simulation", "ParityReport", "SampleNetwork", "FeedSimulation", "AgentSimulation",
    "CompatibilityCheck", "Demonstration",
  ],
  "Programs": [
    "ServeSettings", "CWebAssets", "WebBoard", "Commands", "freshet", "freshet-lab",
  ],
]

/// The files of a target that are not its sources.
let excluded = [
  "ConformanceVectors": ["Vectors"],
  "CWebAssets": ["Prepared", "Public"],
  "FreshnessWire": ["wire.json"],
  "GTFSRealtime": ["Generated/gtfs-realtime.proto"],
]

/// The sources of the example of a server.
let thermometer = "Examples/Thermometer/Sources"

/// Returns targets with their dependencies, in the order of a table.
func sources(_ table: KeyValuePairs<String, [Target.Dependency]>) -> [Target] {
  table.map { name, dependencies in
    .target(name: name, dependencies: dependencies, exclude: excluded[name] ?? [])
  }
}

/// Returns programs with their dependencies, in the order of a table.
func programs(_ table: KeyValuePairs<String, [Target.Dependency]>) -> [Target] {
  table.map { .executableTarget(name: $0, dependencies: $1) }
}

/// Returns targets of tests with their dependencies, in the order of a table.
func tests(_ table: KeyValuePairs<String, [Target.Dependency]>) -> [Target] {
  table.map { .testTarget(name: $0, dependencies: $1) }
}

extension Target {
  /// Returns a library of the system, and the packages that have it.
  static func system(_ name: String, _ pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
  }
}

var targets: [Target] = []
targets += sources([
  // MARK: The refresh machine
  "Freshness": [],

  // MARK: HTTP and event streams, as their specifications define them
  "ConditionalHTTP": [.httpTypes],
  "EventFeed": [],
  "Hashing": [],
  "FreshResponses": ["ConditionalHTTP", "EventFeed", .httpTypes],
  "StrictJSON": [],
  "TerminalText": [],
  "TolerantDecoding": ["ConditionalHTTP", "StrictJSON"],

  // MARK: The driver, and transports
  "FreshnessRuntime": [
    "Freshness", "ConditionalHTTP", "EventFeed", "Hashing", "StrictJSON", .httpTypes,
  ],
  "URLSessionTransport": ["ConditionalHTTP", .httpTypes],
  "WebSocketNIO": ["ConditionalHTTP", .httpTypes, .nioCore, .nioWebSocket],
  "NIOTransport": [
    "ConditionalHTTP", "WebSocketNIO", .asyncHTTPClient, .httpTypes, .nioCore, .nioHTTP1,
    .nioHTTPCompression, .nioPosix, .nioSSL, .nioWebSocket,
  ],

  // MARK: What tests the machine
  "FreshnessWire": ["Freshness"],
  "Simulation": ["Freshness", "Hashing", "StrictJSON"],
  "ConformanceVectors": [],
  "FreshnessTesting": [
    "Freshness", "ConditionalHTTP", "ConformanceVectors", "StrictJSON", .httpTypes,
  ],
  "ParityReport": ["ConditionalHTTP", "Hashing", "StrictJSON"],

  // MARK: Contracts
  "Stationboard": ["TolerantDecoding"],
  "Jobs": ["ConditionalHTTP", "StrictJSON", "TolerantDecoding"],
  "Workspaces": ["StrictJSON", "TolerantDecoding"],
])

// MARK: What the servers work with, and clients
targets.append(.system("CZip", "libzip", apt: "libzip-dev", brew: "libzip"))
targets += sources([
  "GTFS": ["CZip"],
  "Timetable": ["GTFS", "Hashing"],
  "GTFSRealtime": ["GTFS", "Hashing", .swiftProtobuf],
  "SampleNetwork": ["Hashing"],
  "Agents": ["ConditionalHTTP", "StrictJSON", "Workspaces"],
  "AgentSimulation": ["Agents", "Hashing", "StrictJSON"],
  "AgentWatch": ["Agents", "Workspaces"],
  "Storage": ["ConditionalHTTP", .grdb, .sqlite],
])
targets.append(.system("CPostgres", "libpq", apt: "libpq-dev", brew: "libpq"))
targets += sources([
  "PostgresClient": ["CPostgres"],
  "PostgresSharing": ["PostgresClient"],
  "Books": [],
  "BookLibrary": [
    "Books", "CZlib", "ConditionalHTTP", "PostgresClient", "Storage", "StrictJSON", .grdb,
    .httpTypes,
  ],
  "BookScan": ["Books", "ConditionalHTTP", "StrictJSON", .httpTypes, .subprocess, .systemPackage],
  "BookPipelines": ["BookLibrary", "BookScan", "Books", "Jobs", "StrictJSON"],
])
targets.append(.system("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib"))
targets += sources([
  "Serving": [
    "CZlib", "ConditionalHTTP", "FreshResponses", "WebSocketNIO", .httpTypes, .hummingbird,
    .hummingbirdCore, .logging, .nioCore, .nioHTTP1, .nioHTTP2, .nioHTTPTypes, .nioHTTPTypesHTTP1,
    .nioHTTPTypesHTTP2, .nioSSL, .nioTLS, .nioWebSocket,
  ],
  "FreshnessServer": [
    "ConditionalHTTP", "EventFeed", "FreshResponses", "Serving", .coreMetrics, .httpTypes,
    .hummingbird, .nioCore, .serviceLifecycle,
  ],
  "StationboardClient": [
    "ConditionalHTTP", "EventFeed", "Freshness", "FreshnessRuntime", "Stationboard",
    "TolerantDecoding", .httpTypes,
  ],

  "JobsClient": [
    "ConditionalHTTP", "EventFeed", "Freshness", "FreshnessRuntime", "Jobs", "StrictJSON",
    "TolerantDecoding", .httpTypes,
  ],
  "Git": ["Workspaces"],
  "CProcess": [],
  "WorktreeWatch": ["CProcess", "ConditionalHTTP", "Git", "Hashing", "Workspaces"],

  "WorkspacesClient": [
    "ConditionalHTTP", "EventFeed", "Freshness", "FreshnessRuntime", "TolerantDecoding",
    "Workspaces", .httpTypes,
  ],

  // MARK: Everything for an app, in one import
  "FreshetKit": [
    "ConditionalHTTP", "EventFeed", "Freshness", "FreshnessRuntime", "Jobs", "JobsClient",
    "Stationboard", "StationboardClient", "StrictJSON", "TolerantDecoding", "URLSessionTransport",
    "Workspaces", "WorkspacesClient", .httpTypes,
  ],

  // MARK: Servers, pages, and what a terminal shows
  "WorkspacesTerminal": [
    "Freshness", "FreshnessRuntime", "TerminalText", "Workspaces", "WorkspacesClient",
  ],
  "StationboardServer": [
    "ConditionalHTTP", "Freshness", "FreshnessRuntime", "FreshResponses", "FreshnessServer", "GTFS",
    "GTFSRealtime", "Hashing", "PostgresClient", "PostgresSharing", "Timetable", "Storage",
    "Serving", "StrictJSON", .grdb, .httpTypes, .hummingbird, .logging, .nioCore,
  ],
  "JobsServer": [
    "BookLibrary", "ConditionalHTTP", "EventFeed", "FreshResponses", "FreshnessServer", "Jobs",
    "PostgresClient", "Serving", "Storage", "StrictJSON", "TolerantDecoding", .grdb, .httpTypes,
    .hummingbird, .logging, .nioCore,
  ],
  "WorkspacesServer": [
    "ConditionalHTTP", "EventFeed", "FreshResponses", "FreshnessServer", "Git", "Serving",
    "TolerantDecoding", "Workspaces", "WorktreeWatch", .httpTypes, .hummingbird, .nioCore,
  ],
  "FeedSimulation": [
    "ConditionalHTTP", "GTFS", "GTFSRealtime", "Hashing", "Timetable", .httpTypes,
  ],
  "FeedRecording": ["ConditionalHTTP", "GTFSRealtime", .httpTypes],
  "ServeSettings": ["ConditionalHTTP", "StrictJSON", .httpTypes],
  "CWebAssets": [],
  "WebBoard": [
    "CWebAssets", "ConditionalHTTP", "Hashing", "Serving", .httpTypes, .hummingbird, .nioCore,
  ],

  // MARK: The APIs of three public apps as views of the services, and players of their clients
  "MesDepartsDialect": [
    "ConditionalHTTP", "Serving", "StationboardServer", "StrictJSON", .httpTypes, .hummingbird,
    .nioCore,
  ],
  "CatnipDialect": [
    "ConditionalHTTP", "Serving", "StrictJSON", "Workspaces", "WorkspacesServer", .httpTypes,
    .hummingbird, .nioCore,
  ],
  "BooksTrackDialect": [
    "ConditionalHTTP", "FreshnessServer", "Jobs", "JobsServer", "Serving", "StrictJSON",
    "TolerantDecoding", .httpTypes, .hummingbird, .logging, .nioCore,
  ],
  "CompatibilityCheck": [
    "ConditionalHTTP", "Stationboard", "StrictJSON", "TolerantDecoding", .httpTypes,
  ],
])

targets.append(
  .target(
    name: "Demonstration",
    dependencies: ["FeedSimulation", .nioCore, .nioHTTP1, .nioPosix],
    resources: [.embedInCode("Panel")]
  )
)

// MARK: The programs
targets += sources([
  "Commands": [
    "ConditionalHTTP", "Freshness", "FreshnessRuntime", "Serving", "StationboardServer",
    "Storage", "TerminalText", .argumentParser, .httpTypes, .nioCore,
  ]
])
targets += programs([
  "freshet": [
    "Agents", "AgentWatch", "BookLibrary", "BookPipelines", "Books", "BookScan",
    "BooksTrackDialect", "CatnipDialect", "Commands", "ConditionalHTTP", "EventFeed",
    "FeedRecording", "Freshness", "FreshnessRuntime", "FreshnessTesting", "GTFS", "Hashing", "Jobs",
    "JobsClient", "JobsServer", "MesDepartsDialect", "NIOTransport", "PostgresClient",
    "ServeSettings", "Serving", "Stationboard", "StationboardClient", "StationboardServer",
    "Storage", "StrictJSON", "TerminalText", "Timetable", "TolerantDecoding", "WebBoard",
    "Workspaces", "WorkspacesClient", "WorkspacesServer", "WorkspacesTerminal", "WorktreeWatch",
    .argumentParser, .httpTypes, .hummingbird, .logging, .nioCore, .serviceLifecycle, .subprocess,
    .unixSignals,
  ],
  "freshet-lab": [
    "Agents", "AgentSimulation", "AgentWatch", "Commands", "CompatibilityCheck", "CProcess",
    "ConditionalHTTP", "Demonstration", "FeedRecording", "FeedSimulation", "Freshness",
    "FreshnessRuntime", "FreshnessTesting", "GTFS", "GTFSRealtime", "NIOTransport", "ParityReport",
    "SampleNetwork", "Serving", "Simulation", "StationboardClient", "StationboardServer",
    "Timetable", "Workspaces", .argumentParser, .httpTypes, .hummingbird, .logging, .nioCore,
    .serviceLifecycle,
  ],
])

// MARK: The server in Examples, built here too: as a package it compiles its dependencies again
targets.append(
  .target(
    name: "ServerSnippets",
    dependencies: ["FreshnessServer", .hummingbird],
    path: "\(thermometer)/ServerSnippets"
  )
)
targets.append(
  .executableTarget(
    name: "ThermometerServer",
    dependencies: ["FreshnessServer", .hummingbird],
    path: "\(thermometer)/ThermometerServer"
  )
)
targets.append(
  .executableTarget(
    name: "ThermometerReader",
    dependencies: ["FreshetKit"],
    path: "\(thermometer)/ThermometerReader"
  )
)

// MARK: Tests
targets += tests([
  "CompatibilityTests": [
    "BooksTrackDialect", "CatnipDialect", "CompatibilityCheck", "ConditionalHTTP", "Jobs",
    "JobsServer", "MesDepartsDialect", "ServeSettings", "StrictJSON", "TolerantDecoding",
    "Workspaces", .httpTypes,
  ]
])
targets.append(.target(name: "TestScale", path: "Tests/TestScale"))
targets.append(
  .target(name: "ContractSchema", dependencies: ["StrictJSON"], path: "Tests/ContractSchema")
)
targets.append(
  .target(name: "TestSimulation", dependencies: ["Hashing"], path: "Tests/TestSimulation")
)
targets += tests([
  "EngineTests": [
    "ConditionalHTTP", "Freshness", "FreshnessTesting", "FreshnessWire", "Hashing", "Simulation",
    "StrictJSON", "TestScale", .httpTypes,
  ],
  "HTTPTests": [
    "ConditionalHTTP", "EventFeed", "FreshetKit", "Hashing", "NIOTransport", "URLSessionTransport",
    "WebSocketNIO", .httpTypes, .nioCore, .nioPosix, .nioSSL,
  ],
  "ClientTests": [
    "ConditionalHTTP", "EventFeed", "Freshness", "FreshnessRuntime", "FreshnessTesting", "Hashing",
    "Jobs", "JobsClient", "ParityReport", "Stationboard", "StationboardClient", "StrictJSON",
    "TolerantDecoding", "Workspaces", "WorkspacesClient", .httpTypes,
  ],
  "ServingTests": [
    "ConditionalHTTP", "EventFeed", "FreshResponses", "Freshness", "FreshnessRuntime",
    "FreshnessServer", "Hashing", "NIOTransport", "ServeSettings", "Serving", .coreMetrics,
    .httpTypes, .hummingbird, .logging, .metricsTestKit, .nioCore, .nioEmbedded, .nioHTTP1,
    .nioHTTPTypes, .serviceLifecycle,
  ],
  "TimetableTests": ["CZip", "GTFS", "Hashing", "SampleNetwork", "Timetable"],
  "RealtimeTests": [
    "ConditionalHTTP", "FeedRecording", "FeedSimulation", "GTFS", "GTFSRealtime", "Hashing",
    "TestScale", "Timetable", .httpTypes, .swiftProtobuf,
  ],
  "StationboardTests": [
    "CZlib", "ConditionalHTTP", "ContractSchema", "FeedSimulation", "Freshness", "FreshnessRuntime",
    "FreshnessServer", "FreshnessTesting", "GTFS", "GTFSRealtime", "Hashing", "PostgresClient",
    "PostgresCluster", "PostgresSharing", "SampleNetwork", "Serving", "Stationboard",
    "StationboardClient", "StationboardServer", "StrictJSON", "TestScale", "TestSimulation",
    "Timetable", "WebBoard", .httpTypes, .hummingbird, .logging, .nioCore, .nioEmbedded,
  ],
  "WorktreeTests": [
    "CatnipDialect", "ConditionalHTTP", "ContractSchema", "FreshResponses", "Freshness", "Git",
    "Hashing", "Serving", "StrictJSON", "Workspaces", "WorkspacesClient", "WorkspacesServer",
    "WorktreeWatch", .httpTypes, .nioCore,
  ],
  "AgentTests": [
    "AgentSimulation", "AgentWatch", "Agents", "Hashing", "StrictJSON", "TestScale", "Workspaces",
  ],
  "ProgramTests": [
    "Commands", "ConditionalHTTP", "Demonstration", "FeedSimulation", "Freshness",
    "FreshnessRuntime", "Jobs", "JobsClient", "NIOTransport", "SampleNetwork", "StationboardServer",
    "StrictJSON", "TerminalText", "TolerantDecoding", "Workspaces", "WorkspacesClient",
    "WorkspacesTerminal", "freshet", .argumentParser, .httpTypes, .serviceLifecycle,
  ],
])
targets.append(
  .target(name: "PostgresCluster", path: "Tests/PostgresCluster", exclude: ["cluster"])
)
targets += tests([
  "BaseTests": [
    "ContractSchema", "Hashing", "PostgresClient", "PostgresCluster", "StrictJSON",
    "TolerantDecoding",
  ],
  "BookTests": [
    "BookLibrary", "BookPipelines", "BookScan", "Books", "ConditionalHTTP", "Hashing", "Jobs",
    "JobsServer", "PostgresClient", "PostgresCluster", "Serving", "StrictJSON", "TestScale",
    "URLSessionTransport", .grdb, .httpTypes,
  ],
  "JobTests": [
    "ConditionalHTTP", "ContractSchema", "FreshResponses", "Freshness", "FreshnessServer", "Jobs",
    "JobsClient", "JobsServer", "NIOTransport", "PostgresClient", "PostgresCluster", "Serving",
    "StrictJSON", "TestScale", "TestSimulation", "TolerantDecoding", .httpTypes, .hummingbird,
    .logging, .nioCore, .serviceLifecycle,
  ],
])

let package = Package(
  name: "freshet",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    .library(name: "FreshetKit", targets: ["FreshetKit"]),
    .library(name: "Freshness", targets: ["Freshness"]),
    .library(
      name: "FreshnessRuntime",
      targets: ["Freshness", "FreshnessRuntime", "ConditionalHTTP", "EventFeed"]
    ),
    .library(
      name: "FreshnessServer",
      targets: ["ConditionalHTTP", "EventFeed", "FreshResponses", "FreshnessServer"]
    ),
    .library(name: "FreshnessTesting", targets: ["FreshnessTesting", "StrictJSON"]),
    .library(
      name: "StationboardClient",
      targets: ["Stationboard", "StationboardClient", "StrictJSON", "TolerantDecoding"]
    ),
    .library(
      name: "JobsClient",
      targets: ["Jobs", "JobsClient", "StrictJSON", "TolerantDecoding"]
    ),
    .library(name: "TolerantDecoding", targets: ["StrictJSON", "TolerantDecoding"]),
    .library(name: "WorkspacesClient", targets: ["Workspaces", "WorkspacesClient"]),
    .library(name: "URLSessionTransport", targets: ["ConditionalHTTP", "URLSessionTransport"]),
    .executable(name: "freshet", targets: ["freshet"]),
    .executable(name: "freshet-lab", targets: ["freshet-lab"]),
  ],
  traits: [
    .trait(name: "Server", description: "The servers, the program, and what they need."),
    .default(enabledTraits: ["Server"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
    // Already built for Hummingbird.
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.9.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.0"),
    // Already built for AsyncHTTPClient.
    .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.45.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-protobuf.git", from: "1.39.0"),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-system.git", from: "1.6.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.2", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird.git",
      from: "2.28.0",
      traits: []
    ),
  ],
  targets: targets,
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c2x
)

extension Target.Dependency {
  static var httpTypes: Self { .product(name: "HTTPTypes", package: "swift-http-types") }
  static var argumentParser: Self { .server("ArgumentParser", "swift-argument-parser") }
  static var coreMetrics: Self { .server("CoreMetrics", "swift-metrics") }
  static var metricsTestKit: Self { .server("MetricsTestKit", "swift-metrics") }
  static var grdb: Self { .server("GRDB", "GRDB.swift") }
  static var sqlite: Self { .server("GRDBSQLite", "GRDB.swift") }
  static var hummingbird: Self { .server("Hummingbird", "hummingbird") }
  static var hummingbirdCore: Self { .server("HummingbirdCore", "hummingbird") }
  static var logging: Self { .server("Logging", "swift-log") }
  static var serviceLifecycle: Self { .server("ServiceLifecycle", "swift-service-lifecycle") }
  static var unixSignals: Self { .server("UnixSignals", "swift-service-lifecycle") }
  static var subprocess: Self { .server("Subprocess", "swift-subprocess") }
  static var systemPackage: Self { .server("SystemPackage", "swift-system") }
  static var swiftProtobuf: Self { .server("SwiftProtobuf", "swift-protobuf") }
  static var nioEmbedded: Self { .server("NIOEmbedded", "swift-nio") }
  static var nioCore: Self { .server("NIOCore", "swift-nio") }
  static var nioHTTP1: Self { .server("NIOHTTP1", "swift-nio") }
  static var nioPosix: Self { .server("NIOPosix", "swift-nio") }
  static var nioWebSocket: Self { .server("NIOWebSocket", "swift-nio") }
  static var nioHTTPCompression: Self { .server("NIOHTTPCompression", "swift-nio-extras") }
  static var nioHTTPTypes: Self { .server("NIOHTTPTypes", "swift-nio-extras") }
  static var nioHTTPTypesHTTP1: Self { .server("NIOHTTPTypesHTTP1", "swift-nio-extras") }
  static var nioHTTPTypesHTTP2: Self { .server("NIOHTTPTypesHTTP2", "swift-nio-extras") }
  static var nioHTTP2: Self { .server("NIOHTTP2", "swift-nio-http2") }
  static var nioTLS: Self { .server("NIOTLS", "swift-nio") }
  static var nioSSL: Self { .server("NIOSSL", "swift-nio-ssl") }
  static var asyncHTTPClient: Self { .server("AsyncHTTPClient", "async-http-client") }

  static func server(_ product: String, _ package: String) -> Self {
    .product(name: product, package: package, condition: .when(traits: ["Server"]))
  }
}

for target in package.targets where ![.plugin, .system].contains(target.type) {
  if ["CWebAssets", "ConformanceVectors"].contains(target.name) { continue }
  // Examples are compiled as an app compiles them.
  if target.path?.hasPrefix("Examples/") == true { continue }
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      .enableUpcomingFeature("InferIsolatedConformances"),
      .enableUpcomingFeature("ImmutableWeakCaptures"),
      .treatAllWarnings(as: .error),
      .treatWarning("DeprecatedDeclaration", as: .warning),
      .treatWarning("ExplicitSendable", as: .error),
    ]
}

// The build of the Makefile that tests use, and no other, optimizes the targets whose loops would take minutes of the tests: a
// package with such flags cannot be the dependency of another. Assertions stay.
if Context.environment["FRESHET_TESTABLE"] == "1" {
  let fast = ["Books", "Freshness", "GTFS", "Hashing", "StrictJSON", "TestSimulation"]
  for target in package.targets where fast.contains(target.name) {
    // To the compiler itself: the driver takes the last of several levels, and that is the one of the Makefile.
    let flags = ["-O", "-assert-config", "Debug"].flatMap { ["-Xfrontend", $0] }
    target.swiftSettings?.append(.unsafeFlags(flags))
  }
}

for (domain, targets) in domains {
  for target in package.targets where targets.contains(target.name) {
    target.path = "Sources/\(domain)/\(target.name)"
  }
}
