/// The frequencies of events in a scenario, in permille.
struct ScenarioShares: Sendable {
  // MARK: One of these per trip, at most

  /// Trips that do not run and are shown as canceled.
  var cancelled = 0
  /// Trips that do not run and should not be shown.
  var deleted = 0
  /// Canceled trips that an added trip replaces.
  var substituted = 0
  /// Trips replaced by one with other times and one stop fewer.
  var replaced = 0
  /// Trips that skip stops between first and last.
  var skipping = 0
  /// Trips that end before their last stop.
  var shortTurn = 0

  // MARK: Independent of each other

  /// Trips that the producer tracks.
  var tracked = 0
  /// Trips that leave their first stop late.
  var startsLate = 0
  /// The longest late start, in seconds.
  var latestStart = 0
  /// Trips that run a little early.
  var early = 0
  /// Stops at which a delay grows.
  var grows = 0
  /// Stops at which a delay shrinks.
  var recovers = 0
  /// Trips with one long delay.
  var shock = 0
  /// The longest delay, in seconds; a multiple of ``DelayWalk/step``.
  var longestDelay: Int32 = 0
  /// Stops with other platforms at which the platform changes.
  var platform = 0
  /// Trips without data for some of their stops.
  var gap = 0
  /// Trips that vanish from the feed for some minutes.
  var silence = 0
  /// Trips beside which an extra trip runs.
  var extra = 0
  /// Lines with an incident, per ``Incident/duration``.
  var incident = 0
  /// Stations with their own notice.
  var stationNotice = 0
  /// Agencies, and kinds of route, with a notice for a day.
  var generalNotice = 0

  static let calm = ScenarioShares(
    cancelled: 3,
    skipping: 4,
    shortTurn: 1,
    tracked: 940,
    startsLate: 250,
    latestStart: 90,
    early: 40,
    grows: 120,
    recovers: 300,
    shock: 4,
    longestDelay: 600,
    platform: 6,
    gap: 10,
    silence: 2,
    extra: 2,
    incident: 5,
    stationNotice: 3,
    generalNotice: 100
  )

  static let rush = ScenarioShares(
    cancelled: 10,
    substituted: 3,
    replaced: 2,
    skipping: 10,
    shortTurn: 5,
    tracked: 950,
    startsLate: 600,
    latestStart: 420,
    early: 20,
    grows: 450,
    recovers: 200,
    shock: 80,
    longestDelay: 1_800,
    platform: 15,
    gap: 15,
    silence: 5,
    extra: 15,
    incident: 60,
    stationNotice: 4,
    generalNotice: 300
  )

  static let storm = ScenarioShares(
    cancelled: 70,
    deleted: 8,
    substituted: 25,
    replaced: 15,
    skipping: 40,
    shortTurn: 25,
    tracked: 930,
    startsLate: 750,
    latestStart: 600,
    early: 10,
    grows: 450,
    recovers: 200,
    shock: 200,
    longestDelay: 5_400,
    platform: 40,
    gap: 40,
    silence: 20,
    extra: 40,
    incident: 250,
    stationNotice: 6,
    generalNotice: 1_000
  )
}
