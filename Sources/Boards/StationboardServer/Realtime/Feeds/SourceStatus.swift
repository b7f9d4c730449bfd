import ConditionalHTTP
import GTFSRealtime

/// How a realtime source stands: what was heard of it, and when.
///
/// All instants are of the service clock, in seconds since 1970-01-01T00:00:00Z.
struct SourceStatus: Hashable, Sendable {
  /// The longest time between two publications that counts as a rhythm, in seconds.
  static let longestPeriod: Double = 600

  /// Whether there is a source at all.
  var isConfigured = false
  /// When the source was last asked.
  var lastPollAt: Double? { didSet { lastPollText = lastPollAt.map { InstantText.write($0) } } }
  /// The same as every answer says it.
  private(set) var lastPollText: String?
  /// When it last answered with a feed, or said that nothing changed.
  var lastSuccessAt: Double?
  /// When the feed in use arrived.
  var fetchedAt: Double? { didSet { sourceText = sourceTime.map { InstantText.write($0) } } }
  /// When the feed in use was made, by its own header.
  var madeAt: Double? { didSet { sourceText = sourceTime.map { InstantText.write($0) } } }
  /// Why the source could not be asked, or gave no answer to use; nothing once it answers.
  var failure: String?
  /// Whether the source answers, and with nothing that can be read.
  var failureIsOfContent = false
  /// Why the newest content it gave is not used; nothing if it is in use.
  var refusal: String?
  /// The newest content that was judged, whatever became of it.
  var judged: FeedDigest?
  /// The timestamp of the feed in use as its header has it; it may be a little in the future.
  private var stampedAt: Double?
  /// The version of the timetable that the feed in use was made for, if it says.
  var feedVersion: String?
  /// The bytes of the feed in use.
  var payloadBytes: Int?
  /// The times between the last publications, by their headers, in seconds.
  private var distances: [Double] = []
  /// The time between two publications: the middle one of the last few, so that a gap is no rhythm.
  var period: Double? {
    distances.isEmpty ? nil : distances.sorted()[(distances.count - 1) / 2]
  }
  /// How long after the time of the publication before the last publications were here, in seconds: the
  /// producer's rhythm, the time it needs to publish, and the poller that comes a little later.
  private var waits: [Double] = []
  /// What was counted since the server began.
  var tally = SourceMetrics()

  /// Whether the newest content was no feed, or one that is not believed.
  var isRefused: Bool { refusal != nil || failureIsOfContent }
  /// What is wrong with the source; nothing if its newest answer is in use or unchanged.
  var lastError: String? { failure ?? refusal }

  /// The instant the realtime data is of: when the feed was made, or else when it arrived.
  ///
  /// The one clock of everything that is said about age (R27): `rtFetchedAt`, `rtCacheAgeMs`,
  /// `since_rt`.
  var sourceTime: Double? { madeAt ?? fetchedAt }
  /// The same as every answer says it.
  private(set) var sourceText: String?

  /// How old the realtime data is, in seconds; never negative.
  func age(at now: Double) -> Double? { sourceTime.map { max(now - $0, 0) } }

  /// When the next publication is expected to be here; nothing until a rhythm is known, and not when
  /// the source is late.
  ///
  /// As long after the one in use was made as most of the last few were here after the one before them:
  /// a quantile of what happened, not the worst of it. The worst makes every client late for the sake of a
  /// publication in twenty; the mean makes every second client come in vain.
  func nextExpected(at now: Double) -> Double? {
    guard let stampedAt, !waits.isEmpty else { return nil }
    let rank = Int((Double(waits.count) * Self.quantile).rounded(.up))
    let next = stampedAt + waits.sorted()[min(max(rank, 1), waits.count) - 1]
    // R31: a promise that was not kept says nothing about the next one.
    return next > now ? next : nil
  }

  /// How many distances the period is learned from.
  private static let rememberedDistances = 5

  /// How many publications the promise is learned from: enough that it hardly moves, few enough that a new
  /// rhythm is known after eight.
  private static let rememberedWaits = 10

  /// The part of the last publications that would have been here by the moment that is foretold.
  static let quantile = 0.8

  /// Notes a feed that is in use from now on.
  mutating func took(_ header: FeedHeader, bytes: Int, at now: Double) {
    let made = header.timestamp.map { Double($0) }
    // A timestamp from the future or from long ago is no instant to measure an age from.
    let plausible = made.flatMap { $0 <= now + 60 && $0 > now - 365 * 86_400 ? $0 : nil }
    if let plausible, let stampedAt {
      let distance = plausible - stampedAt
      if distance > 0, distance <= Self.longestPeriod {
        distances.append(distance)
        if distances.count > Self.rememberedDistances { distances.removeFirst() }
      }
    }
    // The first one was there before anybody asked: how long is not known.
    if let plausible, let stampedAt, plausible > stampedAt {
      let wait = max(now, plausible) - stampedAt
      // A source that was away for long has not become slower.
      if wait <= Self.longestPeriod { waits.append(wait) }
      if waits.count > Self.rememberedWaits { waits.removeFirst() }
    }
    stampedAt = plausible
    // Nothing is newer than its arrival, whatever the source's clock says.
    madeAt = plausible.map { min($0, now) }
    fetchedAt = now
    payloadBytes = bytes
    feedVersion = header.feedVersion
    refusal = nil
  }
}
