/// Why a realtime feed cannot be used at all.
///
/// The message is one sentence that says what is wrong; ``offset`` and ``path`` say where.
package struct RealtimeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure, stable across releases.
  package enum Code: String, Hashable, Sendable {
    /// The feed is empty.
    case empty = "realtime_feed_empty"
    /// The bytes are neither a protobuf message nor JSON: a web page, an archive, a text.
    case unrecognised = "realtime_feed_unrecognised"
    /// The wire format is broken outside any entity, so that nothing after it can be trusted.
    case malformed = "realtime_feed_malformed"
    /// The header, or a field of it that the schema requires, is missing.
    case missingHeader = "realtime_feed_missing_header"
    /// A size or a count is over its limit (``RealtimeLimits``).
    case limitExceeded = "realtime_feed_limit_exceeded"
    /// The JSON document is not one, or not of a feed.
    case malformedJSON = "realtime_feed_malformed_json"
    /// A feed could not be written as JSON.
    case unwritable = "realtime_feed_unwritable"
  }

  /// The kind of failure.
  package var code: Code
  /// What is wrong, without the place.
  package var reason: String
  /// The offset of the invalid byte in the feed, counted from 0; `nil` if unknown.
  package var offset: Int?
  /// The field that was being read, such as `entity[12].trip_update.trip`; `nil` outside any.
  package var path: String?

  /// Creates an error.
  package init(_ code: Code, _ reason: String, offset: Int? = nil, path: String? = nil) {
    self.code = code
    self.reason = reason
    self.offset = offset
    self.path = path
  }

  /// What is wrong and where, in one sentence.
  package var description: String {
    var text = reason
    if let path { text += " in \(path)" }
    if let offset { text += " at byte \(offset)" }
    return text
  }
}
