import ConditionalHTTP
package import Freshness
package import HTTPTypes

/// Where a GTFS-Realtime feed is published, and for which timetable.
package struct RealtimeSource: Hashable, Sendable {
  /// What the feed carries.
  package enum Kind: String, Hashable, Sendable {
    /// Trip updates.
    case tripUpdates = "trip-updates"
    /// Service alerts.
    case alerts
  }

  /// What the feed carries.
  package var kind: Kind
  /// The prefix of the timetable's feed; empty for the one without a prefix.
  package var prefix: String
  /// The address: scheme `http`, `https` or `file`, and the fields of the caller's own.
  package var request: HTTPRequest

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - kind: What the feed carries.
  ///   - prefix: The prefix of the timetable's feed; empty for the one without a prefix.
  ///   - request: The address, with fields such as `Authorization`.
  package init(kind: Kind, prefix: String = "", request: HTTPRequest) {
    self.kind = kind
    self.prefix = prefix
    self.request = request
  }

  /// The address for people, without fields: credentials stand in fields only.
  package var title: String {
    "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
  }

  /// How often and how patiently the source is asked (stationboard.md; mesdeparts.md 3.4).
  ///
  /// Trip updates every 15 s and never closer than 5 s; alerts every 60 s, never closer than 15 s.
  package var policy: Policy {
    var policy = Policy(every: kind == .alerts ? .seconds(60) : .seconds(15), jitter: .share(3))
    let floor: Timespan = kind == .alerts ? .seconds(15) : .seconds(5)
    policy.leastInterval = floor
    policy.timeout = .seconds(8)
    // Failures lift no floor: no silent retry, no step below it, no jitter under a step.
    policy.retryDelay = nil
    let ladder: [Timespan] = [
      .seconds(5), .seconds(15), .seconds(30), .seconds(60), .seconds(120),
    ]
    policy.ladder = ladder.filter { $0 >= floor }
    policy.ladderJitter = .above(20)
    policy.retryAfterCap = .minutes(10)
    policy.recheck = .minutes(2)
    // A feed that does not change costs nothing; a wrong validator is found within ten minutes.
    policy.unchangedLimit = nil
    policy.alignment = Policy.Alignment(
      delay: .milliseconds(300),
      spread: .milliseconds(200),
      // A producer is a little early now and then; whoever then waits for the time after misses one.
      slack: kind == .alerts ? .seconds(20) : .seconds(5),
      tolerance: .milliseconds(1_500)
    )
    policy.ringCapacity = 50
    return policy
  }
}
