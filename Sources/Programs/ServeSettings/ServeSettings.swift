/// The server settings of a configuration file; absent ones are `nil`.
///
/// The text is read strictly: members that are not known, values of another type and values out of bounds are
/// errors that name the place. Nothing is opened and no environment is read here.
package struct ServeSettings: Hashable, Sendable {
  /// The longest file, in bytes.
  package static let longestFile = 1 << 20
  /// The most feeds.
  package static let mostFeeds = 64
  /// The largest limit.
  package static let largestLimit: Int64 = 1 << 31
  /// The days of history that may be kept.
  package static let historyDays: ClosedRange<Int64> = 0...400
  /// The levels of the log.
  package static let logLevels = [
    "trace", "debug", "info", "notice", "warning", "error", "critical",
  ]
  /// The forms of the log.
  package static let logFormats = ["text", "json"]

  /// The path of the file, for errors.
  package let file: String
  /// The address to listen on.
  package var host: String?
  /// The port to listen on; 0 takes a free one.
  package var port: Int?
  /// The folder of the imported feeds.
  package var data: String?
  /// The origins whose pages may read the API.
  package var allowedOrigins: [String]?
  /// How much to log.
  package var logLevel: String?
  /// The form of the log.
  package var logFormat: String?
  /// The names by which clients may call this server, besides those of the machine itself.
  package var allowedHosts: [String]?
  /// The file of the machines that may report their worktrees, and of the hashes of their tokens.
  package var workspacesHub: String?
  /// The file of the secret that receipts are made with.
  package var receiptKey: String?
  /// The APIs of other apps that are served besides the native one.
  package var speak: [Dialect]?
  /// Limits of the server by their names, which are not known here.
  package var limits: [String: Int] = [:]
  /// Whether each client network gets its share of the server.
  package var fairAdmission: Bool?
  /// For how many days the punctuality of lines is kept; 0 for none.
  package var historyDays: Int?
  /// How the server ends; `nil` if the file says nothing of it.
  package var shutdown: ShutdownSettings?
  /// The file of the token of operators.
  package var operatorTokenFile: String?
  /// The addresses of proxies whose word about clients counts; each is an address, a range, or `unix`.
  package var trustedProxies: [String]?
  /// The field in which those proxies name their client.
  package var forwardedField: String?
  /// TLS; `nil` if the file says nothing of it.
  package var tls: TLSSettings?
  /// The PostgreSQL database that servers share.
  package var database: String?
  /// The jobs; `nil` if the file says nothing of them.
  package var jobs: JobSettings?
  /// The realtime sources; at most one entry for a prefix.
  package var feeds: [FeedSettings] = []

  /// Reads a configuration.
  ///
  /// - Parameters:
  ///   - bytes: The text of the file.
  ///   - file: Its path, for errors.
  ///   - environment: The value of an environment variable; `nil` if it is not set.
  /// - Throws: ``SettingsError`` that names file, place and what is expected; never a value that may be secret.
  package init(
    _ bytes: [UInt8],
    file: String,
    environment: (String) -> String?
  ) throws(SettingsError) {
    self.file = file
    var top = try SettingsObject(bytes, file: file)
    host = try top.text("host", "a host name or an address")
    port = try top.whole("port", 0...65_535)
    data = try top.text("data", "a folder")
    logLevel = try top.text("logLevel", Self.logLevels.joined(separator: ", ")) {
      Self.logLevels.contains($0)
    }
    logFormat = try top.text("logFormat", Self.logFormats.joined(separator: ", ")) {
      Self.logFormats.contains($0)
    }
    allowedOrigins = try top.list("allowedOrigins", most: 256)?.texts(
      "an origin like https://example.org"
    ) {
      Self.isOrigin($0)
    }
    allowedHosts = try top.list("allowedHosts", most: 256)?.texts("a host name without a port") {
      !$0.isEmpty && !$0.contains("/") && ($0.hasPrefix("[") || !$0.contains(":"))
    }
    operatorTokenFile = try top.text("operatorTokenFile", "a file")
    fairAdmission = try top.flag("fairAdmission")
    shutdown = try top.object("shutdown").map { object throws(SettingsError) in
      try ShutdownSettings(object)
    }
    trustedProxies = try top.list("trustedProxies", most: 256)?.texts(
      "an address or a range of a proxy, such as 10.0.0.0/8, or unix"
    ) { !$0.isEmpty && $0.utf8.count <= 64 }
    forwardedField = try top.text("forwardedField", "x-forwarded-for or forwarded") {
      ["x-forwarded-for", "forwarded"].contains($0)
    }
    workspacesHub = try top.text("workspacesHub", "a file")
    receiptKey = try top.text("receiptKey", "a file")
    historyDays = try top.whole("historyDays", Self.historyDays)
    speak = try top.list("speak", most: Dialect.allCases.count)?.texts(Dialect.names) {
      Dialect(rawValue: $0) != nil
    }.compactMap(Dialect.init)
    if var object = try top.object("limits") {
      for name in object.names {
        limits[name] = try object.whole(name, 1...Self.largestLimit)
      }
    }
    tls = try top.object("tls").map { object throws(SettingsError) in try TLSSettings(object) }
    database = try DatabaseAddress.read(&top)
    jobs = try top.object("jobs").map { object throws(SettingsError) in try JobSettings(object) }
    for place in try top.list("feeds", most: Self.mostFeeds)?.objects() ?? [] {
      let feed = try FeedSettings(place, environment: environment)
      guard !feeds.contains(where: { $0.prefix == feed.prefix }) else {
        throw place.error(
          feed.prefix.isEmpty ? nil : "prefix",
          "another prefix; two feeds have this one"
        )
      }
      feeds.append(feed)
    }
    try top.end()
  }

  /// Whether a text is an origin like `https://example.org`: a scheme, a host and possibly a port.
  package static func isOrigin(_ text: String) -> Bool {
    ["https://", "http://"].contains { text.hasPrefix($0) && text.count > $0.count }
      && text.split(separator: "/", omittingEmptySubsequences: false).count == 3
  }

  /// Whether the file itself holds a value of `Authorization` or another field of credentials.
  package var holdsSecrets: Bool {
    feeds.contains { $0.allHeaders.contains { $0.isCredential && $0.isLiteral } }
      || database.map(DatabaseAddress.hasPassword) == true || jobs?.hasPassword == true
  }
}

/// An error in a configuration file.
package struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// File, place and what is expected there.
  package let description: String

  init(_ description: String) { self.description = description }
}
