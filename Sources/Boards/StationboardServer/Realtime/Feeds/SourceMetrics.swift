import Freshness
import FreshnessRuntime
import GTFSRealtime

/// The counters of a realtime source since the start of the server.
struct SourceMetrics: Hashable, Sendable {
  /// Requests by outcome.
  private(set) var polls: [String: Int] = [:]
  /// Feeds that arrived, by what was thought of them.
  private(set) var verdicts: [String: Int] = [:]
  /// How long it took to decode the feed in use, in seconds.
  var decodeSeconds: Double?
  /// How long it took to build the index in use, in seconds.
  var indexSeconds: Double?
  /// How many entities the feed in use has.
  var entities: Int?

  /// Counts a request that ended.
  mutating func count(_ outcome: Outcome) { polls[outcome.name, default: 0] += 1 }

  /// Counts a feed that arrived.
  mutating func count(_ verdict: FeedVerdict) { verdicts[verdict.label, default: 0] += 1 }
}
