package import Timetable

/// A world in which the trips of a timetable are delayed, canceled, replaced and on time again.
///
/// Everything is a function of seed and instant: nothing is stored, no clock is read, and instants
/// can be queried in any order. The result of ``state(of:at:)`` for a run at the
/// ``FeedTick/sourceTime`` of a publication is the content of that publication.
package final class FeedWorld: Sendable {
  /// The options that distinguish worlds.
  package struct Options: Hashable, Sendable {
    /// The amount of disruption.
    package var scenario = Scenario.calm
    /// Another seed gives another world.
    package var seed: UInt64 = 1
    /// Milliseconds between two publications of trip updates, within ``FeedWorld/periods``.
    package var period: Int64 = 15_000
    /// The agency_id of agencies that alerts may be about.
    package var agencyIDs: [String] = []

    /// Creates the default options.
    package init() {}
  }

  /// The valid periods, in milliseconds; others are clamped.
  package static let periods: ClosedRange<Int64> = 200...3_600_000
  /// The alerts are published once in this many periods (15 s and 60 s, mesdeparts.md section 3.4).
  package static let alertPeriods: Int64 = 4

  /// The timetable.
  package let timetable: Timetable
  /// The options of this world.
  package let options: Options
  let shares: ScenarioShares
  let random: RandomSource
  let active: ActiveTrips
  /// The route types of the timetable, ascending.
  let routeTypes: [Int]
  private let tripUpdateRhythm: FeedRhythm
  private let alertRhythm: FeedRhythm

  /// Creates a world; reads the timetable once (about 0.2 s for a million trips).
  package init(_ timetable: Timetable, options: Options = Options()) {
    self.timetable = timetable
    self.options = options
    shares = options.scenario.shares
    let random = RandomSource(seed: options.seed).of(.world, 1)
    self.random = random
    active = ActiveTrips(timetable)
    routeTypes = Set((0..<timetable.routeCount).map { timetable.route($0).type }).sorted()
    let period = min(max(options.period, Self.periods.lowerBound), Self.periods.upperBound)
    tripUpdateRhythm = FeedRhythm(period: period, random: random)
    alertRhythm = FeedRhythm(period: period * Self.alertPeriods, random: random.of(.alert, 1))
  }

  /// The last publication of a feed that has appeared at an instant, in milliseconds since
  /// 1970-01-01T00:00:00Z.
  package func tick(_ stream: FeedStream, at instant: Int64) -> FeedTick {
    tick(stream, number: rhythm(of: stream).number(at: instant))
  }

  /// A publication of a feed, by its number.
  package func tick(_ stream: FeedStream, number: Int64) -> FeedTick {
    let rhythm = rhythm(of: stream)
    return FeedTick(
      number: number,
      instant: rhythm.instant(of: number),
      nextInstant: rhythm.instant(of: number + 1)
    )
  }

  /// Returns when a feed is published.
  func rhythm(of stream: FeedStream) -> FeedRhythm {
    switch stream {
    case .tripUpdates, .vehiclePositions: tripUpdateRhythm
    case .alerts: alertRhythm
    }
  }

  /// Returns the incident on a route in a block of two hours, or `nil`.
  func incident(on route: Int, block: Int64) -> Incident? {
    let random = self.random.of(.incident, timetable.routeId(route))
      .of(.incident, UInt64(bitPattern: block))
    guard random.isHit(shares.incident, .incident) else { return nil }
    return Incident(route: route, block: block, random: random)
  }
}
