import GTFS

/// The counts of a line as answers have them.
package struct LineSummary: Codable, Sendable, Hashable {
  var trips: Int
  var tripsSeen: Int
  var tripsMissing: Int
  var tripsUnobserved: Int
  var tripsCancelled: Int
  var tripsAdded: Int
  var departures: Int
  var predicted: Int
  var early: Int
  var onTime: Int
  var upTo3: Int
  var upTo5: Int
  var upTo10: Int
  var over10: Int
  var cancelled: Int
  var skipped: Int
  var replaced: Int
  var unpredicted: Int
  var unobserved: Int
  var unmatchedUpdates: Int
  /// At most a minute early and less than three late, of the departures with a delay.
  var punctualPercent: Double?
  /// Departures of which realtime said something, of those that were observed.
  var coveragePercent: Double?
  var medianDelaySec: Int?
  var p90DelaySec: Int?
  /// The departures in each range of ``DelayHistogram/bounds``, from which others can compute more.
  var delays: [UInt32]

  /// Summarizes counts.
  package init(_ counts: LineCounts) {
    trips = counts.trips
    tripsSeen = counts.tripsSeen
    tripsMissing = counts.tripsMissing
    tripsUnobserved = counts.tripsUnobserved
    tripsCancelled = counts.tripsCancelled
    tripsAdded = counts.tripsAdded
    departures = counts.planned
    predicted = counts.delays.total
    early = counts.delays.count(.early)
    onTime = counts.delays.count(.onTime)
    upTo3 = counts.delays.count(.upTo3)
    upTo5 = counts.delays.count(.upTo5)
    upTo10 = counts.delays.count(.upTo10)
    over10 = counts.delays.count(.over10)
    cancelled = counts.cancelled
    skipped = counts.skipped
    replaced = counts.replaced
    unpredicted = counts.unpredicted
    unobserved = counts.unobserved
    unmatchedUpdates = counts.mostUnmatched
    punctualPercent = Self.percent(onTime + upTo3, of: predicted)
    let observed = departures - unobserved
    coveragePercent = Self.percent(observed - unpredicted, of: observed)
    medianDelaySec = counts.delays.quantile(0.5)
    p90DelaySec = counts.delays.quantile(0.9)
    delays = counts.delays.counts
  }

  /// A share with one decimal; `nil` of nothing.
  package static func percent(_ part: Int, of whole: Int) -> Double? {
    whole > 0 ? (Double(part) / Double(whole) * 1_000).rounded() / 10 : nil
  }

  /// The counts; `nil` if the ranges are not those of this program.
  package var counts: LineCounts? {
    guard let delays = DelayHistogram(counts: delays) else { return nil }
    var counts = LineCounts()
    counts.delays = delays
    (counts.cancelled, counts.skipped, counts.replaced) = (cancelled, skipped, replaced)
    (counts.unpredicted, counts.unobserved) = (unpredicted, unobserved)
    (counts.tripsSeen, counts.tripsMissing) = (tripsSeen, tripsMissing)
    (counts.tripsUnobserved, counts.tripsCancelled) = (tripsUnobserved, tripsCancelled)
    (counts.tripsAdded, counts.mostUnmatched) = (tripsAdded, unmatchedUpdates)
    return counts
  }

  /// The names and values of a row of CSV, in order.
  package var columns: [(String, String)] {
    func text(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }
    func text(_ value: Int?) -> String { value.map { "\($0)" } ?? "" }
    return [
      ("trips", "\(trips)"), ("tripsSeen", "\(tripsSeen)"), ("tripsMissing", "\(tripsMissing)"),
      ("tripsUnobserved", "\(tripsUnobserved)"), ("tripsCancelled", "\(tripsCancelled)"),
      ("tripsAdded", "\(tripsAdded)"), ("departures", "\(departures)"),
      ("predicted", "\(predicted)"), ("early", "\(early)"), ("onTime", "\(onTime)"),
      ("upTo3", "\(upTo3)"), ("upTo5", "\(upTo5)"), ("upTo10", "\(upTo10)"),
      ("over10", "\(over10)"), ("cancelled", "\(cancelled)"), ("skipped", "\(skipped)"),
      ("replaced", "\(replaced)"), ("unpredicted", "\(unpredicted)"),
      ("unobserved", "\(unobserved)"), ("unmatchedUpdates", "\(unmatchedUpdates)"),
      ("punctualPercent", text(punctualPercent)), ("coveragePercent", text(coveragePercent)),
      ("medianDelaySec", text(medianDelaySec)), ("p90DelaySec", text(p90DelaySec)),
    ]
  }
}

/// A line as answers name it.
package struct LineName: Codable, Sendable, Hashable {
  package var feed: String
  package var routeID: String
  package var line: String?
  package var `operator`: String?
  var routeType: Int
  var routeColor: String?
  var routeTextColor: String?

  private enum CodingKeys: String, CodingKey {
    case feed
    case routeID = "route_id"
    case line, `operator`, routeType, routeColor, routeTextColor
  }

  /// Names a line.
  package init(_ line: HistoryStore.Line, idPrefix: String) {
    feed = line.feed
    routeID = idPrefix + line.route
    self.line = line.name.isEmpty ? nil : line.name
    `operator` = line.agency.isEmpty ? nil : line.agency
    routeType = line.type
    routeColor = line.color.map(Self.hex)
    routeTextColor = line.textColor.map(Self.hex)
  }

  private static func hex(_ color: UInt32) -> String {
    let digits = String(color, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }
}

/// A line with its counts.
package struct LineEntry: Codable, Sendable, Hashable {
  package var name: LineName
  package var summary: LineSummary

  package init(from decoder: any Decoder) throws {
    name = try LineName(from: decoder)
    summary = try LineSummary(from: decoder)
  }

  init(name: LineName, summary: LineSummary) {
    (self.name, self.summary) = (name, summary)
  }

  package func encode(to encoder: any Encoder) throws {
    try name.encode(to: encoder)
    try summary.encode(to: encoder)
  }
}
