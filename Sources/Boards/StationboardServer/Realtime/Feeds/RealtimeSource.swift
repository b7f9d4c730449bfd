import ConditionalHTTP
package import Freshness
package import HTTPTypes

/// Where a GTFS-Realtime feed is published, and for which timetable.
package struct RealtimeSource: Hashable, Sendable {
  /// The content of the feed.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Trip updates.
    case tripUpdates = "trip-updates"
    /// Service alerts.
    case alerts
    /// Vehicle positions.
    case vehiclePositions = "vehicle-positions"

    /// What its feed has: `trip updates`.
    package var label: String { rawValue.replacing("-", with: " ") }
  }

  /// The content of the feed.
  package var kind: Kind
  /// The prefix of the timetable's feed; empty for the one without a prefix.
  package var prefix: String
  /// The address: scheme `http`, `https`, `file` or ``replayScheme``, and the fields of the caller's own.
  package var request: HTTPRequest
  /// The time between two polls when it is not the usual one.
  ///
  /// Then nothing is aligned, and the other waits are scaled along. For tests, which cannot wait for
  /// the rhythm of real sources.
  package var every: Instant.Duration?

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - kind: The content of the feed.
  ///   - prefix: The prefix of the timetable's feed; empty for the one without a prefix.
  ///   - request: The address, with fields such as `Authorization`.
  package init(kind: Kind, prefix: String = "", request: HTTPRequest) {
    self.kind = kind
    self.prefix = prefix
    self.request = request
  }

  /// The address for people, without what may be secret: user, password, query and fields.
  package var title: String {
    let authority = request.authority?.split(separator: "@").last ?? ""
    let path = request.path?.prefix { $0 != "?" } ?? ""
    return "\(request.scheme ?? "")://\(authority)\(path)"
  }

  /// The scheme of sources that are replayed from a recording.
  package static let replayScheme = "replay"
  /// The field of a replayed answer that carries the instant of its arrival, in milliseconds since
  /// 1970-01-01T00:00:00Z; nothing is believed of it in answers of other sources.
  package static let arrivalFieldName = "x-freshet-recorded-arrival"

  /// Whether the source is replayed from a recording.
  var isReplay: Bool { request.scheme == Self.replayScheme }

  /// How a replayed source is asked: at once, whatever came; the recording has the rhythm, so no wait has
  /// jitter.
  private static var replayPolicy: Policy {
    let step = Instant.Duration.milliseconds(1)
    var policy = Policy(every: step)
    policy.leastInterval = step
    policy.leastWait = step
    policy.spread = .zero
    policy.timeout = .minutes(60 * 24 * 365)
    policy.retryDelay = step
    policy.ladder = [step]
    policy.ladderJitter = .none
    policy.retryAfterCap = .zero
    policy.recheck = step
    policy.recheckGone = step
    policy.driftFloor = .minutes(60 * 24 * 365)
    policy.stallFloor = .minutes(60 * 24 * 365)
    policy.unchangedLimit = nil
    policy.unchangedFor = nil
    return policy
  }

  /// How long an answer may take, in milliseconds, if the source is asked where it is published.
  package static func patience(_ kind: Kind) -> Int64 { livePolicy(kind).timeout.milliseconds }

  /// How often and how patiently the source is asked (stationboard.md; mesdeparts.md 3.4).
  ///
  /// Trip updates and vehicle positions every 15 s and never closer than 5 s; alerts every 60 s, never closer than 15 s.
  package var policy: Policy {
    if isReplay { return Self.replayPolicy }
    var policy = Self.livePolicy(kind)
    if let every { policy.pace(every) }
    return policy
  }

  private static func livePolicy(_ kind: Kind) -> Policy {
    var policy = Policy(every: kind == .alerts ? .seconds(60) : .seconds(15), jitter: .share(3))
    let floor: Instant.Duration = kind == .alerts ? .seconds(15) : .seconds(5)
    policy.leastInterval = floor
    policy.timeout = .seconds(8)
    // Failures never lead to a wait below the minimum: no silent retry, no step below it, no jitter under a step.
    policy.retryDelay = nil
    let ladder: [Instant.Duration] = [
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
      // The poller does not skip a publication to get in step with the next, since every client behind it would wait.
      // The minimum keeps the distance.
      slack: kind == .alerts ? .seconds(45) : .seconds(10),
      tolerance: .milliseconds(1_500)
    )
    policy.ringCapacity = 50
    return policy
  }
}

extension Policy {
  /// Runs everything faster or slower: the interval becomes another, and the waits with it.
  fileprivate mutating func pace(_ interval: Instant.Duration) {
    let usual = max(active.milliseconds, 1)
    func scaled(_ wait: Instant.Duration) -> Instant.Duration {
      max(.milliseconds(wait.milliseconds * interval.milliseconds / usual), .milliseconds(50))
    }
    ladder = ladder.map(scaled)
    retryDelay = retryDelay.map(scaled)
    recheck = scaled(recheck)
    recheckGone = scaled(recheckGone)
    (active, recent, idle) = (interval, interval, interval)
    leastInterval = interval
    leastWait = min(leastWait, interval)
    alignment = nil
  }
}
