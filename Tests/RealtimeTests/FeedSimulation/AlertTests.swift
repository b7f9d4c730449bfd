import FeedSimulation
import GTFSRealtime
import Testing
import Timetable

@Suite struct AlertTests {
  private static let seeds: ClosedRange<UInt64> = 1...40

  private func feed(
    _ scenario: Scenario,
    seed: UInt64 = 1
  ) throws -> (world: FeedWorld, tick: FeedTick, alerts: AlertFeed) {
    let world = FeedWorld.test(scenario, seed: seed)
    let tick = world.tick(.alerts, at: TestNetwork.morning * 1_000)
    return (world, tick, try AlertFeed(protobuf: world.alertFeed(of: tick)))
  }

  @Test(arguments: Scenario.allCases)
  func `The feed has the alerts of the world, and none is rejected`(_ scenario: Scenario) throws {
    let (world, tick, feed) = try feed(scenario)
    #expect(feed.alerts == world.alerts(at: tick.sourceTime))
    #expect(feed.counters.rejectedTotal == 0)
    #expect(feed.header.timestamp == UInt64(tick.sourceTime))
    #expect(Set(feed.alerts.map(\.entityID)).count == feed.alerts.count)
  }

  @Test func `Alerts are about agencies, lines, kinds of line, directions, trips and stops`() throws
  {
    let selectors = try Self.seeds.flatMap {
      try feed(.storm, seed: $0).alerts.alerts.flatMap(\.informedEntities)
    }
    #expect(selectors.contains { $0.agencyID == "A" })
    #expect(selectors.contains { $0.routeID != nil && $0.directionID == nil })
    #expect(selectors.contains { $0.routeID != nil && $0.directionID != nil })
    #expect(selectors.contains { $0.routeType == 2 || $0.routeType == 3 })
    #expect(selectors.contains { $0.trip?.tripID != nil && $0.stopID == nil })
    #expect(selectors.contains { $0.trip?.tripID != nil && $0.stopID != nil })
    #expect(selectors.contains { $0.stopID != nil && $0.trip == nil })
    #expect(selectors.allSatisfy { !$0.isEmpty })
  }

  @Test func `Alerts speak four languages, some fewer, some name none, some have an address`()
    throws
  {
    let alerts = try Self.seeds.flatMap { try feed(.storm, seed: $0).alerts.alerts }
    let languages = alerts.map { $0.header?.translations.map(\.language) ?? [] }
    #expect(languages.contains(["de", "fr", "it", "en"]))
    #expect(languages.contains { $0.count == 1 || $0.count == 2 })
    #expect(languages.contains([nil]))
    #expect(alerts.contains { $0.url != nil })
    #expect(alerts.contains { $0.url == nil })
    #expect(alerts.allSatisfy { $0.header?.isEmpty == false && $0.text?.isEmpty == false })
    #expect(alerts.contains { $0.activePeriods.count > 1 })
    #expect(alerts.contains { $0.activePeriods.first?.end == nil })
    #expect(alerts.allSatisfy { !$0.activePeriods.isEmpty })
  }

  @Test func `Alerts about trips are about cancelled trips or stops left out`() throws {
    var cancellations = 0
    var skips = 0
    for seed in 1...12 as ClosedRange<UInt64> {
      let (world, tick, feed) = try feed(.storm, seed: seed)
      for alert in feed.alerts {
        for selector in alert.informedEntities {
          guard let trip = selector.trip, let id = trip.tripID, let day = trip.startDate else {
            continue
          }
          #expect(alert.isActive(at: UInt64(tick.sourceTime)))
          let number = try #require(
            world.timetable.trips(id: id).first {
              trip.startTime == nil || world.timetable.start(of: $0) == trip.startTime
            }
          )
          let state = world.state(of: TripRun(trip: number, day: day), at: tick.sourceTime)
          if let stop = selector.stopID {
            skips += 1
            let named = state.calls.filter {
              String(decoding: world.timetable.id(of: $0.stop), as: UTF8.self) == stop
            }
            #expect(named.contains { $0.status == .skipped })
          } else {
            cancellations += 1
            #expect(state.phase == .cancelled)
            #expect(alert.effect == .noService)
          }
        }
      }
    }
    #expect(cancellations > 12)
    #expect(skips > 2)
  }

  @Test func `Trips of a line with an incident suffer more`() throws {
    var disturbed = (runs: 0, cancelled: 0)
    var other = (runs: 0, cancelled: 0)
    for seed in 1...8 as ClosedRange<UInt64> {
      let world = FeedWorld.test(.storm, seed: seed)
      let lines = Set(
        world.alerts(at: TestNetwork.morning).filter { $0.entityID.hasPrefix("route.") }
          .flatMap(\.informedEntities).compactMap(\.routeID)
      )
      for run in world.allRuns(around: TestNetwork.morning) {
        let start =
          world.timetable.start(of: run.day) + Int64(world.timetable.start(of: run.trip))
        // The incident's two hours, and nothing of the next ones.
        guard start / 7_200 == TestNetwork.morning / 7_200 else { continue }
        let line = String(decoding: world.timetable.routeId(of: run.trip), as: UTF8.self)
        let isCancelled = world.state(of: run, at: start).phase == .cancelled
        if lines.contains(line) {
          disturbed = (disturbed.runs + 1, disturbed.cancelled + (isCancelled ? 1 : 0))
        } else {
          other = (other.runs + 1, other.cancelled + (isCancelled ? 1 : 0))
        }
      }
    }
    #expect(disturbed.runs > 50)
    #expect(other.runs > 50)
    #expect(disturbed.cancelled * other.runs > 3 * other.cancelled * disturbed.runs / 2)
  }
}
