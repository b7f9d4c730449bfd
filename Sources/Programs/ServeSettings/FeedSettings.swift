import HTTPTypes

/// The sources of one timetable.
package struct FeedSettings: Hashable, Sendable {
  /// The prefix of the timetable; empty for the one without.
  package var prefix: String
  /// The timetable itself: an address.
  package var timetable: String?
  /// The seconds between two checks of the timetable.
  package var checkSeconds: Int?
  /// The percentage of departures that a new timetable may lose.
  package var maxLostPercent: Int?
  /// The percentage of the rows of a file of the timetable that may be malformed.
  package var maxRejectedPercent: Int?
  /// The name of the encoding of the timetable's files.
  package var encoding: String?
  /// The percentage of the trip updates that must match a trip for the feed not to count as degraded.
  package var leastMatchedPercent: Int?
  /// The sources of trip updates in their order of precedence.
  package var tripUpdates: [Source]
  /// The sources of alerts.
  package var alerts: [Source]
  /// The sources of vehicle positions in their order of precedence.
  package var vehiclePositions: [Source]
  /// The most sources of one kind.
  package static let mostSources = 32
  /// The seconds between two polls of a source of trip updates or vehicle positions, and of one of alerts.
  package static let pollSeconds: (tripUpdates: ClosedRange<Int64>, alerts: ClosedRange<Int64>) = (
    5...3_600, 15...3_600
  )

  /// A source of realtime data.
  package struct Source: Hashable, Sendable {
    /// An address or a file.
    package var address: String
    /// The seconds between two polls; `nil` for the rhythm of what it publishes.
    package var pollSeconds: Int?
    /// The fields to send to this one only, besides those of the feed.
    package var headers: [Header]
    /// Where the entry is in the file.
    package let place: String
  }

  /// The fields to send to all of them.
  package var headers: [Header]
  /// The seconds between two checks of a timetable.
  package static let checkSeconds: ClosedRange<Int64> = 300...604_800
  /// Where the entry is in the file, such as `$.feeds[0]`.
  package let place: String

  /// A field to send, whose value no description shows.
  package struct Header: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
  {
    /// The name.
    package let name: String
    /// The value; may be secret.
    package let value: String
    /// Whether the file contains the value itself.
    package let isLiteral: Bool

    /// Whether fields of this name carry credentials.
    package var isCredential: Bool {
      let lower = name.lowercased()
      return ["authorization", "proxy-authorization", "cookie"].contains(lower)
        || ["key", "token", "secret"].contains { lower.contains($0) }
    }

    /// The name.
    package var description: String { "\(name): …" }
    /// The name.
    package var debugDescription: String { description }
    /// Nothing: dumps show no value either.
    package var customMirror: Mirror { Mirror(self, children: []) }
  }

  init(
    _ object: SettingsObject,
    environment: (String) -> String?
  ) throws(SettingsError) {
    var object = object
    place = object.place
    prefix =
      try object.text("prefix", "letters, digits, - and _") { text in
        text.utf8.allSatisfy { byte in
          (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x5F
        }
      } ?? ""
    tripUpdates = try Self.sources(
      "tripUpdates",
      Self.pollSeconds.tripUpdates,
      &object,
      environment
    )
    alerts = try Self.sources("alerts", Self.pollSeconds.alerts, &object, environment)
    vehiclePositions = try Self.sources(
      "vehiclePositions",
      Self.pollSeconds.tripUpdates,
      &object,
      environment
    )
    timetable = try object.text("static", "an address (http, https)") {
      $0.hasPrefix("http://") || $0.hasPrefix("https://")
    }
    checkSeconds = try object.whole("checkSeconds", Self.checkSeconds)
    maxLostPercent = try object.whole("maxLostPercent", 0...100)
    encoding = try object.text("encoding", "the name of an encoding")
    maxRejectedPercent = try object.whole("maxRejectedPercent", 0...100)
    leastMatchedPercent = try object.whole("leastMatchedPercent", 0...100)
    guard !tripUpdates.isEmpty || leastMatchedPercent == nil else {
      throw object.error("tripUpdates", "an address or a file beside leastMatchedPercent")
    }
    guard
      timetable != nil || !tripUpdates.isEmpty || !alerts.isEmpty || !vehiclePositions.isEmpty
    else {
      throw object.error(nil, "static, tripUpdates, vehiclePositions or alerts")
    }
    let hasOptions =
      checkSeconds != nil || maxLostPercent != nil || maxRejectedPercent != nil || encoding != nil
    guard timetable != nil || !hasOptions else {
      throw object.error(
        "static",
        "an address beside checkSeconds, maxLostPercent, maxRejectedPercent and encoding"
      )
    }
    headers = try Self.headers(&object, environment)
    try object.end()
  }

  /// Reads one source or a list of them, each an address, a file or an object.
  private static func sources(
    _ name: String,
    _ pollSeconds: ClosedRange<Int64>,
    _ object: inout SettingsObject,
    _ environment: (String) -> String?
  ) throws(SettingsError) -> [Source] {
    let expected = "an address (http, https) or a file"
    let entries = try object.entries(name, expected, most: mostSources)
    var sources: [Source] = []
    for entry in entries {
      var source: Source
      switch entry {
      case .text(let address, let place):
        source = Source(address: address, headers: [], place: place)
      case .object(var own):
        guard let address = try own.text("source", expected) else {
          throw own.error("source", expected, found: "nothing")
        }
        source = Source(address: address, headers: [], place: own.place)
        source.pollSeconds = try own.whole("pollSeconds", pollSeconds)
        source.headers = try headers(&own, environment)
        try own.end()
      }
      guard !sources.contains(where: { $0.address == source.address }) else {
        throw object.error(name, "another source; \(source.address) is there twice")
      }
      sources.append(source)
    }
    return sources
  }

  private static func headers(
    _ object: inout SettingsObject,
    _ environment: (String) -> String?
  ) throws(SettingsError) -> [Header] {
    guard var fields = try object.object("headers") else { return [] }
    var headers: [Header] = []
    for name in fields.names {
      guard HTTPField.Name(name) != nil else { throw fields.error(name, "the name of a field") }
      let (value, isLiteral) = try fields.secret(name, environment: environment)
      guard HTTPField.isValidValue(value) else {
        throw fields.error(name, "a value without line breaks and control characters")
      }
      headers.append(Header(name: name, value: value, isLiteral: isLiteral))
    }
    return headers
  }

  /// All fields with the place of the file that holds them.
  var allHeaders: [Header] {
    headers + (tripUpdates + alerts + vehiclePositions).flatMap(\.headers)
  }
}
