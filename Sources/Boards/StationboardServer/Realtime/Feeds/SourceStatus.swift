import ConditionalHTTP
import GTFSRealtime

/// The status of a realtime source: what was received from it, and when.
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
  var fetchedAt: Double? {
    didSet {
      fetchedText = fetchedAt.map { InstantText.write($0) }
      sourceText = sourceTime.map { InstantText.write($0) }
    }
  }
  /// The same as every answer says it.
  private(set) var fetchedText: String?
  /// When the source last answered without its newest content; `nil` if it never did.
  var absentAt: Double?
  /// The position of the publication in use, of a source that servers share.
  var position: Int64?
  /// The earliest instant at which the feed in use may have been made, if its own header cannot be believed.
  private(set) var earliestAt: Double? {
    didSet { sourceText = sourceTime.map { InstantText.write($0) } }
  }
  /// When the feed in use was made, by its own header.
  var madeAt: Double? { didSet { sourceText = sourceTime.map { InstantText.write($0) } } }
  /// Why the last request failed or got an unusable response; `nil` after a usable response.
  var failure: String?
  /// Whether the source responds, but with content that cannot be read.
  var failureIsOfContent = false
  /// Why the newest content is not used; `nil` if it is in use.
  var refusal: String?
  /// The newest content that was judged, whether used or not.
  var judged: FeedDigest?
  /// The timestamp in the header of the feed in use; it may be slightly in the future.
  private var stampedAt: Double?
  /// The version of the timetable that the feed in use was made for, if it says.
  var feedVersion: String?
  /// The bytes of the feed in use.
  var payloadBytes: Int?
  /// The times between the last publications, by their headers, in seconds.
  private var distances: [Double] = [] {
    didSet { period = distances.isEmpty ? nil : distances.sorted()[(distances.count - 1) / 2] }
  }
  /// The time between two publications: the median of the last few, so that one gap does not count.
  private(set) var period: Double?
  /// How long after the time of the publication before the last publications were here, in seconds: the
  /// producer's rhythm, the time it needs to publish, and the poller that comes a little later.
  private var waits: [Double] = [] { didSet { usualWait = Self.quantile(of: waits) } }
  /// The wait after which the next publication is expected; `nil` until there was one.
  private var usualWait: Double?
  /// The counters since the start of the server.
  var metrics = SourceMetrics()
  /// The status of each source, of several that are one to boards.
  private var members: [SourceStatus] = []

  /// The status of a source that nothing is known of.
  init() {}

  /// The status of several sources as one: as new as the newest of them, because a change of boards is detected by it;
  /// how old a departure is, its own source says.
  init(of members: [SourceStatus]) {
    guard members.count > 1 else {
      self = members.first ?? SourceStatus()
      return
    }
    let newest = members.max { ($0.sourceTime ?? 0) < ($1.sourceTime ?? 0) }
    self = newest ?? SourceStatus()
    self.members = members
    lastPollAt = members.compactMap(\.lastPollAt).max()
    // An initializer calls no observer.
    lastPollText = lastPollAt.map { InstantText.write($0) }
    lastSuccessAt = members.compactMap(\.lastSuccessAt).max()
    // The board of one source is not worse because another one fails; that it fails is said all the same.
    let failing = members.filter { $0.lastError != nil }
    failureIsOfContent = failing.count == members.count && failing.allSatisfy(\.failureIsOfContent)
    refusal = failing.count == members.count ? failing.lazy.compactMap(\.refusal).first : nil
    failure = failing.first?.lastError.map { error in
      "\(failing.count) of \(members.count) sources: \(error)"
    }
    let bytes = members.compactMap(\.payloadBytes)
    payloadBytes = bytes.isEmpty ? nil : bytes.reduce(0, +)
  }

  /// Whether the newest content is not a feed, or was rejected.
  var isRefused: Bool { refusal != nil || failureIsOfContent }
  /// What is wrong with the source; `nil` if its newest response is in use or unchanged.
  var lastError: String? { failure ?? refusal }

  /// The instant the realtime data is of: when the feed was made, else when the source last answered without it, else
  /// when it arrived.
  ///
  /// The one clock of everything that is said about age (R27): `rtFetchedAt`, `rtCacheAgeMs`,
  /// `since_rt`.
  var sourceTime: Double? { madeAt ?? earliestAt ?? fetchedAt }
  /// The same as every answer says it.
  private(set) var sourceText: String?

  /// What the timestamps of the feed in use are compared with.
  var firstKnownAt: Double? { earliestAt ?? fetchedAt }

  /// How old the realtime data is, in seconds; never negative.
  func age(at now: Double) -> Double? { sourceTime.map { max(now - $0, 0) } }

  /// When the next publication is expected to arrive; `nil` until the rhythm of the source is known, and while the
  /// source is late.
  ///
  /// The delay after the publication in use is a quantile of the last few delays. Their maximum would delay every
  /// client for the sake of one publication in twenty; with the mean, every second client would poll too early and get
  /// nothing new.
  func nextExpected(at now: Double) -> Double? {
    guard members.isEmpty else { return members.compactMap { $0.nextExpected(at: now) }.min() }
    guard let stampedAt, let usualWait else { return nil }
    let next = stampedAt + usualWait
    // R31: a promise that was not kept says nothing about the next one.
    return next > now ? next : nil
  }

  /// How far, in seconds, the clock of a source may be ahead of the service clock and still measure an age: its
  /// timestamps count whole seconds.
  static let clockDifference: Double = 2

  /// Notes a response with a feed, or without a newer one.
  mutating func answered(isChange: Bool, at now: Double) {
    if isChange { absentAt = lastSuccessAt }
    lastSuccessAt = now
  }

  /// Returns the earliest instant at which a feed may have been made as far as its arrival shows, which is what its
  /// timestamps are compared with: its arrival, or if its header cannot be believed the last response without it (R37).
  func earliest(of header: FeedHeader, arrivedAt now: Double) -> Double {
    let isAhead = header.timestamp.map { Double($0) > now + Self.clockDifference } ?? true
    return isAhead ? min(absentAt ?? now, now) : now
  }

  /// How many distances the period is learned from.
  private static let rememberedDistances = 5

  /// How many publications the promise is learned from: enough that it hardly moves, few enough that a new
  /// rhythm is known after eight.
  private static let rememberedWaits = 10

  /// The share of the last publications that would have arrived by the announced instant.
  static let quantile = 0.8

  private static func quantile(of waits: [Double]) -> Double? {
    guard !waits.isEmpty else { return nil }
    let rank = Int((Double(waits.count) * quantile).rounded(.up))
    return waits.sorted()[min(max(rank, 1), waits.count) - 1]
  }

  /// Notes a publication that is in use from now on, and how many entities of it are.
  mutating func took(_ bytes: FeedBytes, _ header: FeedHeader, entities: Int, at now: Double) {
    took(header, bytes: bytes.bytes.count, at: now)
    judged = bytes.digest
    position = bytes.position
    metrics.entities = entities
  }

  /// Notes a feed that is in use from now on.
  mutating func took(_ header: FeedHeader, bytes: Int, at now: Double) {
    let made = header.timestamp.map { Double($0) }
    // A timestamp in the future or long ago cannot measure an age.
    let plausible = made.flatMap { $0 <= now + 60 && $0 > now - 365 * 86_400 ? $0 : nil }
    if let plausible, let stampedAt {
      let distance = plausible - stampedAt
      if distance > 0, distance <= Self.longestPeriod {
        distances.append(distance)
        if distances.count > Self.rememberedDistances { distances.removeFirst() }
      }
    }
    // The first one was there before the first request: how long is not known.
    if let plausible, let stampedAt, plausible > stampedAt {
      let wait = max(now, plausible) - stampedAt
      // A source that was away for long has not become slower.
      if wait <= Self.longestPeriod { waits.append(wait) }
      if waits.count > Self.rememberedWaits { waits.removeFirst() }
    }
    stampedAt = plausible
    // Nothing is newer than its arrival, whatever the source's clock says.
    let earliest = earliest(of: header, arrivedAt: now)
    earliestAt = earliest < now ? earliest : nil
    madeAt = plausible.map { min($0, earliest) }
    fetchedAt = now
    payloadBytes = bytes
    feedVersion = header.feedVersion
    refusal = nil
  }
}
