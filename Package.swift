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
    "BooksTrackDialect",
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

/// The sources of the example of a server.
let thermometer = "Examples/Thermometer/Sources"

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
  targets: [
    // MARK: The refresh machine
    .target(name: "Freshness"),

    // MARK: HTTP and event streams, as their specifications define them
    .target(name: "ConditionalHTTP", dependencies: [.httpTypes]),
    .target(name: "EventFeed"),
    .target(name: "Hashing"),
    .target(name: "FreshResponses", dependencies: ["ConditionalHTTP", "EventFeed", .httpTypes]),
    .target(name: "StrictJSON"),
    .target(name: "TerminalText"),
    .target(name: "TolerantDecoding", dependencies: ["ConditionalHTTP", "StrictJSON"]),

    // MARK: The driver, and transports
    .target(
      name: "FreshnessRuntime",
      dependencies: [
        "Freshness", "ConditionalHTTP", "EventFeed", "Hashing", "StrictJSON", .httpTypes,
      ]
    ),
    .target(name: "URLSessionTransport", dependencies: ["ConditionalHTTP", .httpTypes]),
    .target(
      name: "WebSocketNIO",
      dependencies: ["ConditionalHTTP", .httpTypes, .nioCore, .nioWebSocket]
    ),
    .target(
      name: "NIOTransport",
      dependencies: [
        "ConditionalHTTP", "WebSocketNIO", .asyncHTTPClient, .httpTypes, .nioCore, .nioHTTP1,
        .nioHTTPCompression, .nioPosix, .nioSSL, .nioWebSocket,
      ]
    ),

    // MARK: What tests the machine
    .target(name: "FreshnessWire", dependencies: ["Freshness"]),
    .target(name: "Simulation", dependencies: ["Freshness", "Hashing", "StrictJSON"]),
    .target(name: "ConformanceVectors", exclude: ["Vectors"]),
    .target(
      name: "FreshnessTesting",
      dependencies: [
        "Freshness", "ConditionalHTTP", "ConformanceVectors", "StrictJSON", .httpTypes,
      ]
    ),
    .target(name: "ParityReport", dependencies: ["ConditionalHTTP", "Hashing", "StrictJSON"]),

    // MARK: Contracts
    .target(name: "Stationboard", dependencies: ["TolerantDecoding"]),
    .target(name: "Jobs", dependencies: ["ConditionalHTTP", "StrictJSON", "TolerantDecoding"]),
    .target(name: "Workspaces", dependencies: ["StrictJSON", "TolerantDecoding"]),

    // MARK: What the servers work with, and clients
    .systemLibrary(
      name: "CZip",
      pkgConfig: "libzip",
      providers: [.apt(["libzip-dev"]), .brew(["libzip"])]
    ),
    .target(name: "GTFS", dependencies: ["CZip"]),
    .target(name: "Timetable", dependencies: ["GTFS", "Hashing"]),
    .target(
      name: "GTFSRealtime",
      dependencies: ["GTFS", "Hashing", .swiftProtobuf],
      exclude: ["Generated/gtfs-realtime.proto"]
    ),
    .target(name: "SampleNetwork", dependencies: ["Hashing"]),
    .target(name: "Agents", dependencies: ["ConditionalHTTP", "StrictJSON", "Workspaces"]),
    .target(name: "AgentSimulation", dependencies: ["Agents", "Hashing", "StrictJSON"]),
    .target(name: "AgentWatch", dependencies: ["Agents", "Workspaces"]),
    .target(name: "Storage", dependencies: ["ConditionalHTTP", .grdb, .sqlite]),
    .systemLibrary(
      name: "CPostgres",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    ),
    .target(name: "PostgresClient", dependencies: ["CPostgres"]),
    .target(name: "PostgresSharing", dependencies: ["PostgresClient"]),
    .target(name: "Books"),
    .target(
      name: "BookLibrary",
      dependencies: [
        "Books", "CZlib", "ConditionalHTTP", "PostgresClient", "Storage", "StrictJSON", .grdb,
        .httpTypes,
      ]
    ),
    .target(
      name: "BookScan",
      dependencies: [
        "Books", "ConditionalHTTP", "StrictJSON", .httpTypes, .subprocess, .systemPackage,
      ]
    ),
    .target(
      name: "BookPipelines",
      dependencies: ["BookLibrary", "BookScan", "Books", "Jobs", "StrictJSON"]
    ),
    .systemLibrary(
      name: "CZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),
    .target(
      name: "Serving",
      dependencies: [
        "CZlib", "ConditionalHTTP", "FreshResponses", "WebSocketNIO", .httpTypes, .hummingbird,
        .hummingbirdCore,
        .logging, .nioCore, .nioHTTP1, .nioHTTP2, .nioHTTPTypes, .nioHTTPTypesHTTP1,
        .nioHTTPTypesHTTP2, .nioSSL, .nioTLS, .nioWebSocket,
      ]
    ),
    .target(
      name: "FreshnessServer",
      dependencies: [
        "ConditionalHTTP", "EventFeed", "FreshResponses", "Serving", .httpTypes, .hummingbird,
        .nioCore, .serviceLifecycle,
      ]
    ),
    .target(
      name: "StationboardClient",
      dependencies: [
        "ConditionalHTTP", "EventFeed", "Freshness", "FreshnessRuntime", "Stationboard",
        "TolerantDecoding", .httpTypes,
      ]
    ),

    .target(
      name: "JobsClient",
      dependencies: [
        "ConditionalHTTP", "EventFeed", "Freshness", "FreshnessRuntime", "Jobs", "StrictJSON",
        "TolerantDecoding", .httpTypes,
      ]
    ),
    .target(name: "Git", dependencies: ["Workspaces"]),
    .target(name: "CProcess"),
    .target(
      name: "WorktreeWatch",
      dependencies: ["CProcess", "ConditionalHTTP", "Git", "Hashing", "Workspaces"]
    ),

    .target(
      name: "WorkspacesClient",
      dependencies: [
        "ConditionalHTTP", "EventFeed", "Freshness", "FreshnessRuntime", "TolerantDecoding",
        "Workspaces", .httpTypes,
      ]
    ),

    // MARK: Everything for an app, in one import
    .target(
      name: "FreshetKit",
      dependencies: [
        "ConditionalHTTP", "EventFeed", "Freshness", "FreshnessRuntime", "Jobs", "JobsClient",
        "Stationboard", "StationboardClient", "StrictJSON", "TolerantDecoding",
        "URLSessionTransport", "Workspaces", "WorkspacesClient", .httpTypes,
      ]
    ),

    // MARK: Servers, pages, and what a terminal shows
    .target(
      name: "WorkspacesTerminal",
      dependencies: [
        "Freshness", "FreshnessRuntime", "TerminalText", "Workspaces", "WorkspacesClient",
      ]
    ),
    .target(
      name: "StationboardServer",
      dependencies: [
        "ConditionalHTTP", "Freshness", "FreshnessRuntime", "FreshResponses", "FreshnessServer",
        "GTFS", "GTFSRealtime", "Hashing", "PostgresClient", "PostgresSharing", "Timetable",
        "Storage",
        "Serving", "StrictJSON",
        .grdb, .httpTypes, .hummingbird, .logging, .nioCore,
      ]
    ),
    .target(
      name: "JobsServer",
      dependencies: [
        "BookLibrary", "ConditionalHTTP", "EventFeed", "FreshResponses", "FreshnessServer", "Jobs",
        "PostgresClient", "Serving",
        "Storage", "StrictJSON", "TolerantDecoding", .grdb, .httpTypes, .hummingbird, .logging,
        .nioCore,
      ]
    ),
    .target(
      name: "WorkspacesServer",
      dependencies: [
        "ConditionalHTTP", "EventFeed", "FreshResponses", "FreshnessServer", "Git", "Serving",
        "TolerantDecoding", "Workspaces", "WorktreeWatch", .httpTypes, .hummingbird, .nioCore,
      ]
    ),
    .target(
      name: "FeedSimulation",
      dependencies: ["ConditionalHTTP", "GTFS", "GTFSRealtime", "Hashing", "Timetable", .httpTypes]
    ),
    .target(name: "FeedRecording", dependencies: ["ConditionalHTTP", "GTFSRealtime", .httpTypes]),
    .target(name: "ServeSettings", dependencies: ["StrictJSON", .httpTypes]),
    .target(name: "CWebAssets", exclude: ["Prepared", "Public"]),
    .target(
      name: "WebBoard",
      dependencies: [
        "CWebAssets", "ConditionalHTTP", "Hashing", "Serving", .httpTypes, .hummingbird, .nioCore,
      ]
    ),

    // MARK: The APIs of three public apps as views of the services, and players of their clients
    .target(
      name: "MesDepartsDialect",
      dependencies: [
        "ConditionalHTTP", "Serving", "StationboardServer", "StrictJSON", .httpTypes, .hummingbird,
        .nioCore,
      ]
    ),
    .target(
      name: "CatnipDialect",
      dependencies: [
        "ConditionalHTTP", "Serving", "StrictJSON", "Workspaces", "WorkspacesServer", .httpTypes,
        .hummingbird, .nioCore,
      ]
    ),
    .target(
      name: "BooksTrackDialect",
      dependencies: [
        "ConditionalHTTP", "FreshnessServer", "Jobs", "JobsServer", "Serving", "StrictJSON",
        "TolerantDecoding", .httpTypes, .hummingbird, .logging, .nioCore,
      ]
    ),
    .target(
      name: "CompatibilityCheck",
      dependencies: [
        "ConditionalHTTP", "Stationboard", "StrictJSON", "TolerantDecoding", .httpTypes,
      ]
    ),

    .target(
      name: "Demonstration",
      dependencies: ["FeedSimulation", .nioCore, .nioHTTP1, .nioPosix],
      resources: [.embedInCode("Panel")]
    ),

    // MARK: The programs
    .target(
      name: "Commands",
      dependencies: [
        "ConditionalHTTP", "Freshness", "FreshnessRuntime", "Serving", "StationboardServer",
        "TerminalText", .argumentParser, .httpTypes, .nioCore,
      ]
    ),
    .executableTarget(
      name: "freshet",
      dependencies: [
        "Agents", "AgentWatch", "BookLibrary", "BookPipelines", "Books", "BookScan",
        "BooksTrackDialect", "CatnipDialect", "Commands", "ConditionalHTTP", "EventFeed",
        "FeedRecording", "Freshness", "FreshnessRuntime", "FreshnessTesting", "GTFS", "Hashing",
        "Jobs",
        "JobsClient", "JobsServer", "MesDepartsDialect", "NIOTransport", "PostgresClient",
        "ServeSettings", "Serving", "Stationboard", "StationboardClient", "StationboardServer",
        "Storage",
        "StrictJSON",
        "TerminalText", "Timetable", "TolerantDecoding", "WebBoard", "Workspaces",
        "WorkspacesClient", "WorkspacesServer", "WorkspacesTerminal", "WorktreeWatch",
        .argumentParser, .httpTypes, .hummingbird, .logging, .nioCore, .serviceLifecycle,
        .subprocess, .unixSignals,
      ]
    ),
    .executableTarget(
      name: "freshet-lab",
      dependencies: [
        "Agents", "AgentSimulation", "AgentWatch", "Commands", "CompatibilityCheck", "CProcess",
        "ConditionalHTTP", "Demonstration", "FeedRecording", "FeedSimulation", "Freshness",
        "FreshnessRuntime",
        "FreshnessTesting", "GTFS", "GTFSRealtime", "NIOTransport", "ParityReport",
        "SampleNetwork", "Serving", "Simulation", "StationboardClient", "StationboardServer",
        "Timetable", "Workspaces", .argumentParser, .httpTypes, .hummingbird, .logging,
        .nioCore, .serviceLifecycle,
      ]
    ),

    // MARK: The server in Examples, built here too: as a package it compiles its dependencies again
    .target(
      name: "ServerSnippets",
      dependencies: ["FreshnessServer", .hummingbird],
      path: "\(thermometer)/ServerSnippets"
    ),
    .executableTarget(
      name: "ThermometerServer",
      dependencies: ["FreshnessServer", .hummingbird],
      path: "\(thermometer)/ThermometerServer"
    ),
    .executableTarget(
      name: "ThermometerReader",
      dependencies: ["FreshetKit"],
      path: "\(thermometer)/ThermometerReader"
    ),

    // MARK: Tests
    .testTarget(
      name: "CompatibilityTests",
      dependencies: [
        "BooksTrackDialect", "CatnipDialect", "CompatibilityCheck", "ConditionalHTTP",
        "Jobs", "JobsServer", "MesDepartsDialect", "ServeSettings", "StrictJSON",
        "TolerantDecoding", "Workspaces",
        .httpTypes,
      ]
    ),
    .target(name: "TestScale", path: "Tests/TestScale"),
    .testTarget(
      name: "EngineTests",
      dependencies: [
        "ConditionalHTTP", "Freshness", "FreshnessTesting", "FreshnessWire", "Simulation",
        "StrictJSON", "TestScale", .httpTypes,
      ]
    ),
    .testTarget(
      name: "HTTPTests",
      dependencies: ["ConditionalHTTP", "EventFeed", .httpTypes]
    ),
    .testTarget(name: "HashingTests", dependencies: ["Hashing"]),
    .testTarget(name: "JSONTests", dependencies: ["StrictJSON", "TolerantDecoding"]),
    .testTarget(
      name: "ClientTests",
      dependencies: [
        "ConditionalHTTP", "EventFeed", "Freshness", "FreshnessRuntime",
        "FreshnessTesting", "Jobs", "JobsClient", "ParityReport", "Stationboard",
        "StationboardClient", "StrictJSON", "TolerantDecoding",
        "Workspaces", "WorkspacesClient", .httpTypes,
      ]
    ),
    .testTarget(
      name: "TransportTests",
      dependencies: [
        "ConditionalHTTP", "FreshetKit", "NIOTransport", "URLSessionTransport", "WebSocketNIO",
        .httpTypes, .nioCore, .nioPosix, .nioSSL,
      ]
    ),
    .testTarget(
      name: "ServingTests",
      dependencies: [
        "ConditionalHTTP", "FreshResponses", "ServeSettings", "Serving", .httpTypes, .hummingbird,
        .logging, .nioCore, .nioEmbedded, .nioHTTP1, .nioHTTPTypes,
      ]
    ),
    .testTarget(
      name: "FreshnessServerTests",
      dependencies: [
        "ConditionalHTTP", "EventFeed", "FreshResponses", "Freshness", "FreshnessRuntime",
        "FreshnessServer", "NIOTransport", "Serving", .httpTypes, .hummingbird, .logging, .nioCore,
        .serviceLifecycle,
      ]
    ),
    .testTarget(
      name: "TerminalTests",
      dependencies: [
        "Commands", "Freshness", "FreshnessRuntime", "TerminalText", "Workspaces",
        "WorkspacesClient", "WorkspacesTerminal", .argumentParser,
      ]
    ),
    .testTarget(
      name: "TimetableTests",
      dependencies: ["CZip", "GTFS", "Hashing", "SampleNetwork", "Timetable"]
    ),
    .testTarget(
      name: "RealtimeTests",
      dependencies: [
        "ConditionalHTTP", "FeedRecording", "FeedSimulation", "GTFS", "GTFSRealtime", "TestScale",
        "Timetable", .httpTypes, .swiftProtobuf,
      ]
    ),
    .testTarget(
      name: "StationboardTests",
      dependencies: [
        "CZlib", "ConditionalHTTP", "FeedSimulation", "Freshness", "FreshnessRuntime",
        "FreshnessServer", "FreshnessTesting", "GTFS", "GTFSRealtime", "PostgresClient",
        "PostgresCluster", "PostgresSharing", "SampleNetwork", "Serving", "Stationboard",
        "StationboardClient", "StationboardServer", "TestScale", "Timetable", "WebBoard",
        .httpTypes,
        .hummingbird, .logging, .nioCore, .nioEmbedded,
      ]
    ),
    .testTarget(name: "DemonstrationTests", dependencies: ["Demonstration", "FeedSimulation"]),
    .testTarget(
      name: "WorktreeTests",
      dependencies: [
        "ConditionalHTTP", "FreshResponses", "Freshness", "Git", "Workspaces", "WorkspacesClient",
        "WorkspacesServer", "WorktreeWatch", .httpTypes,
      ]
    ),
    .testTarget(
      name: "AgentTests",
      dependencies: [
        "AgentSimulation", "AgentWatch", "Agents", "Hashing", "StrictJSON", "TestScale",
        "Workspaces",
      ]
    ),
    .target(name: "PostgresCluster", path: "Tests/PostgresCluster", exclude: ["cluster"]),
    .testTarget(name: "PostgresTests", dependencies: ["PostgresClient", "PostgresCluster"]),
    .testTarget(
      name: "BookTests",
      dependencies: [
        "BookLibrary", "BookPipelines", "BookScan", "Books", "ConditionalHTTP", "Jobs",
        "JobsServer", "PostgresClient", "PostgresCluster", "Serving", "StrictJSON", "TestScale",
        "URLSessionTransport", .grdb, .httpTypes,
      ]
    ),
    .testTarget(
      name: "JobTests",
      dependencies: [
        "ConditionalHTTP", "Jobs", "JobsClient", "JobsServer", "NIOTransport", "PostgresClient",
        "PostgresCluster", "Serving", "StrictJSON", "TolerantDecoding", .httpTypes, .hummingbird,
        .logging, .nioCore,
        .serviceLifecycle,
      ]
    ),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c2x
)

extension Target.Dependency {
  static var httpTypes: Self { .product(name: "HTTPTypes", package: "swift-http-types") }
  static var argumentParser: Self { .server("ArgumentParser", "swift-argument-parser") }
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

// The builds of the Makefile, and no others, optimize the targets whose loops would take minutes of the tests: a package with
// such flags cannot be the dependency of another. Assertions stay.
if Context.environment["FRESHET_OPTIMIZE"] == "1" {
  for target in package.targets where ["Freshness", "GTFS", "Hashing"].contains(target.name) {
    target.swiftSettings?.append(
      .unsafeFlags(
        ["-O", "-Xfrontend", "-assert-config", "-Xfrontend", "Debug"],
        .when(configuration: .debug)
      )
    )
  }
}

for (domain, targets) in domains {
  for target in package.targets where targets.contains(target.name) {
    target.path = "Sources/\(domain)/\(target.name)"
  }
}
