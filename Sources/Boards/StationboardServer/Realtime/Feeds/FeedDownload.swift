import ConditionalHTTP
import Freshness
import FreshnessRuntime
import GTFSRealtime
import HTTPTypes

/// A GTFS-Realtime feed as a resource of the engine: its bytes, with their digest.
struct FeedDownload: FreshResource {
  let source: RealtimeSource
  /// The constants; the source's own unless a test or a replay runs faster.
  let constants: Policy

  var policy: Policy? { constants }

  func request(since known: FeedBytes?) -> HTTPRequest {
    var request = source.request
    if request.headerFields[.userAgent] == nil {
      request.headerFields[.userAgent] = StationboardService.userAgent
    }
    if request.headerFields[.accept] == nil {
      request.headerFields[.accept] = "application/x-protobuf, application/octet-stream, */*;q=0.5"
    }
    return request
  }

  /// Keeps the bytes unread: feeds are judged elsewhere, so that a corrupt feed is distinguished from a failing server.
  func read(
    _ answer: HTTPExchangeAnswer,
    since known: FeedBytes?
  ) throws(UnreadableAnswer) -> Reading<FeedBytes> {
    let fields = answer.head.headerFields
    let recorded = source.isReplay ? HTTPField.Name(RealtimeSource.arrivalFieldName) : nil
    let feed = FeedBytes(
      bytes: answer.body,
      contentType: fields[.contentType],
      digest: FeedDigest(answer.body),
      arrivedAt: recorded.flatMap { fields[$0] }.flatMap { Double($0) }.map { $0 / 1_000 }
    )
    return Reading(feed)
  }
}

/// The bytes of a feed as they came.
struct FeedBytes: Equatable, Sendable {
  let bytes: [UInt8]
  let contentType: String?
  let digest: FeedDigest
  /// When they came, if not now: seconds since 1970-01-01T00:00:00Z, of the service clock.
  let arrivedAt: Double?
  /// Its position among the publications of servers that share the source; `nil` if this server fetched it.
  var position: Int64?

  /// Feeds with equal digests are the same feed.
  static func == (left: FeedBytes, right: FeedBytes) -> Bool { left.digest == right.digest }
}
