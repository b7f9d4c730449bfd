/// A feed as it was published, in one of its two forms.
///
/// Producers publish protobuf; some also publish the JSON mapping of protobuf, which is for people and
/// for diagnosis.
package struct FeedDocument: Sendable {
  /// How a feed is written.
  package enum Form: String, Hashable, Sendable {
    /// The protobuf wire format.
    case protobuf
    /// The JSON mapping of protobuf, in UTF-8.
    case json
  }

  /// How the bytes are written.
  package let form: Form
  /// The bytes, as published.
  package let bytes: [UInt8]
  /// The limits of reading them.
  package let limits: RealtimeLimits

  /// Reads the bytes of a feed and detects their form.
  ///
  /// The `Content-Type` they came with decides only where the bytes leave it open.
  ///
  /// - Throws: If they have neither form, or there is no content or too much; the error says what they are.
  package init(
    _ bytes: [UInt8],
    contentType: String? = nil,
    limits: RealtimeLimits = .standard
  ) throws(RealtimeError) {
    guard bytes.count <= limits.feedBytes else {
      throw RealtimeError(
        .limitExceeded,
        "The feed has \(bytes.count) bytes; the most is \(limits.feedBytes)"
      )
    }
    form = try Self.detect(bytes, contentType: contentType)
    self.bytes = bytes
    self.limits = limits
  }

  /// Detects the format from the first bytes.
  ///
  /// No byte is both the start of a JSON object and of a field that is read: `{` would be a group, which
  /// GTFS-Realtime does not have. A line feed is the exception: it starts a protobuf header and may
  /// precede a JSON object. Then `Content-Type` decides if it names JSON; else a `{` that
  /// follows, with `}` at the very end, means JSON.
  ///
  /// - Throws: If there are no bytes, or they have neither form.
  package static func detect(
    _ bytes: [UInt8],
    contentType: String? = nil
  ) throws(RealtimeError) -> Form {
    guard let first = bytes.first else { throw RealtimeError(.empty, "The feed is empty") }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    let visible = text.drop(while: isSpace)
    let isObject = visible.first == UInt8(ascii: "{")
    if isObject, visible.startIndex == text.startIndex || first != 0x0A { return .json }
    if isObject, let contentType, contentType.lowercased().contains("json") { return .json }
    if isObject, bytes.last(where: { !isSpace($0) }) == UInt8(ascii: "}"),
      let next = visible.dropFirst().first(where: { !isSpace($0) }), next == UInt8(ascii: "\"")
    {
      return .json
    }
    if !visible.isEmpty, first >= 8, [0, 1, 2, 5].contains(first & 7) { return .protobuf }
    throw RealtimeError(.unrecognised, "The feed is \(Self.guess(bytes, visible))", offset: 0)
  }

  /// Describes bytes that are not a feed, as far as their kind can be recognized.
  private static func guess(_ bytes: [UInt8], _ visible: ArraySlice<UInt8>) -> String {
    if visible.isEmpty { return "nothing but white space" }
    if visible.first == UInt8(ascii: "<") { return "a web page or XML, not protobuf or JSON" }
    if visible.first == UInt8(ascii: "[") { return "a JSON array; a feed is an object" }
    if bytes.starts(with: [0x1F, 0x8B]) {
      return "compressed with gzip; it has to be inflated first"
    }
    return "neither protobuf nor JSON"
  }

  /// The trip updates of the feed.
  ///
  /// - Throws: As ``TripUpdateFeed/init(protobuf:limits:)``, or if the JSON is not that of a feed.
  package func tripUpdates() throws(RealtimeError) -> TripUpdateFeed {
    try TripUpdateFeed(protobuf: try protobuf(), limits: limits)
  }

  /// The vehicle positions of the feed.
  ///
  /// - Throws: As ``VehiclePositionFeed/init(protobuf:limits:)``, or if the JSON is not that of a feed.
  package func vehiclePositions() throws(RealtimeError) -> VehiclePositionFeed {
    try VehiclePositionFeed(protobuf: try protobuf(), limits: limits)
  }

  /// The service alerts of the feed.
  ///
  /// - Throws: As ``AlertFeed/init(protobuf:limits:)``, or if the JSON is not that of a feed.
  package func alerts() throws(RealtimeError) -> AlertFeed {
    try AlertFeed(protobuf: try protobuf(), limits: limits)
  }
}
