import GTFSRealtime

/// A realtime feed that was decoded, and how long that took.
struct DecodedFeed: Sendable {
  /// What a feed of each kind decodes to.
  enum Content: Sendable {
    case tripUpdates(TripUpdateFeed)
    case vehiclePositions(VehiclePositionFeed)
    case alerts(AlertFeed)
  }

  let content: Content
  /// How long decoding took, in seconds.
  let seconds: Double
  /// The index of trip updates that was made meanwhile, if one was.
  var index: MadeIndex?

  /// Decodes a feed.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the feed.
  ///   - kind: What the feed is read for.
  /// - Throws: `RealtimeError` if the bytes are not a valid feed.
  init(_ bytes: FeedBytes, of kind: RealtimeSource.Kind) throws(RealtimeError) {
    let began = ContinuousClock.now
    let document = try FeedDocument(bytes.bytes, contentType: bytes.contentType)
    content =
      switch kind {
      case .tripUpdates: .tripUpdates(try document.tripUpdates())
      case .vehiclePositions: .vehiclePositions(try document.vehiclePositions())
      case .alerts: .alerts(try document.alerts())
      }
    seconds = (ContinuousClock.now - began).seconds
  }

  /// What a sequence of feeds judges.
  ///
  /// - Parameters:
  ///   - digest: The digest of the bytes.
  ///   - instant: When they arrived, in seconds since 1970-01-01T00:00:00Z.
  /// - Returns: The response, with the header and the number of entities.
  func response(digest: FeedDigest, instant: Int64) -> FeedResponse {
    switch content {
    case .tripUpdates(let feed): FeedResponse(feed, digest: digest, instant: instant)
    case .vehiclePositions(let feed): FeedResponse(feed, digest: digest, instant: instant)
    case .alerts(let feed): FeedResponse(feed, digest: digest, instant: instant)
    }
  }
}
