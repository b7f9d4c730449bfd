/// One response of a feed's source, as judged by ``FeedSequence``.
package struct FeedResponse: Hashable, Sendable {
  /// The decoded content.
  package enum Content: Hashable, Sendable {
    /// A feed with this header and this many usable entities.
    case feed(FeedHeader, entities: Int)
    /// Bytes that are not a valid feed.
    case broken(RealtimeError)
  }

  /// The digest of the bytes.
  package var digest: FeedDigest
  /// When they arrived, in seconds since 1970-01-01T00:00:00Z.
  package var instant: Int64
  /// The decoded content.
  package var content: Content

  /// Creates an arrival.
  package init(digest: FeedDigest, instant: Int64, content: Content) {
    self.digest = digest
    self.instant = instant
    self.content = content
  }

  /// The arrival of trip updates.
  package init(_ feed: TripUpdateFeed, digest: FeedDigest, instant: Int64) {
    self.init(
      digest: digest,
      instant: instant,
      content: .feed(feed.header, entities: feed.counters.used)
    )
  }

  /// The arrival of vehicle positions.
  package init(_ feed: VehiclePositionFeed, digest: FeedDigest, instant: Int64) {
    self.init(feed.carriers, digest: digest, instant: instant)
  }

  /// The arrival of alerts.
  package init(_ feed: AlertFeed, digest: FeedDigest, instant: Int64) {
    self.init(
      digest: digest,
      instant: instant,
      content: .feed(feed.header, entities: feed.counters.used)
    )
  }
}
