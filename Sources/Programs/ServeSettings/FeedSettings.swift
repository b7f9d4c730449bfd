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
  /// The percentage of the trip updates that must match a trip for the feed not to count as degraded.
  package var leastMatchedPercent: Int?
  /// The trip updates: an address or a file.
  package var tripUpdates: String?
  /// The alerts: an address or a file.
  package var alerts: String?
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
    let source = "an address (http, https) or a file"
    tripUpdates = try object.text("tripUpdates", source)
    alerts = try object.text("alerts", source)
    timetable = try object.text("static", "an address (http, https)") {
      $0.hasPrefix("http://") || $0.hasPrefix("https://")
    }
    checkSeconds = try object.whole("checkSeconds", Self.checkSeconds)
    maxLostPercent = try object.whole("maxLostPercent", 0...100)
    leastMatchedPercent = try object.whole("leastMatchedPercent", 0...100)
    guard tripUpdates != nil || leastMatchedPercent == nil else {
      throw object.error("tripUpdates", "an address or a file beside leastMatchedPercent")
    }
    guard timetable != nil || tripUpdates != nil || alerts != nil else {
      throw object.error(nil, "static, tripUpdates or alerts")
    }
    guard timetable != nil || checkSeconds == nil && maxLostPercent == nil else {
      throw object.error("static", "an address beside checkSeconds and maxLostPercent")
    }
    headers = []
    if var fields = try object.object("headers") {
      for name in fields.names {
        guard HTTPField.Name(name) != nil else { throw fields.error(name, "the name of a field") }
        let (value, isLiteral) = try fields.secret(name, environment: environment)
        guard HTTPField.isValidValue(value) else {
          throw fields.error(name, "a value without line breaks and control characters")
        }
        headers.append(Header(name: name, value: value, isLiteral: isLiteral))
      }
    }
    try object.end()
  }
}
