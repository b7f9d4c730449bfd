/// The metadata of a feed (`FeedHeader` of the GTFS-Realtime reference).
package struct FeedHeader: Hashable, Sendable {
  /// Whether a feed replaces everything before it.
  package enum Incrementality: Hashable, Sendable {
    /// The feed is a full snapshot. The default.
    case fullDataset
    /// The feed changes the one before. The reference calls this unsupported and unspecified.
    case differential
    /// A number that the reference does not define.
    case unknown(Int32)

    /// The case of a number of the schema.
    package init(number: Int32) {
      switch number {
      case 0: self = .fullDataset
      case 1: self = .differential
      default: self = .unknown(number)
      }
    }
  }

  /// `gtfs_realtime_version`, such as `2.0`.
  package var version: String
  /// Whether the feed replaces everything before it.
  package var incrementality: Incrementality
  /// When the content was created, in seconds since 1970-01-01T00:00:00Z; `nil` if the feed does not
  /// say or says 0.
  package var timestamp: UInt64?
  /// `feed_version`: the version of the static feed this one matches; `nil` if it does not say.
  package var feedVersion: String?

  /// Creates a header.
  package init(
    version: String,
    incrementality: Incrementality = .fullDataset,
    timestamp: UInt64? = nil,
    feedVersion: String? = nil
  ) {
    self.version = version
    self.incrementality = incrementality
    self.timestamp = timestamp == 0 ? nil : timestamp
    self.feedVersion = feedVersion
  }
}
