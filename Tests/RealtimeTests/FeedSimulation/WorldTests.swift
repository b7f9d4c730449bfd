import FeedSimulation
import GTFS
import GTFSRealtime
import Testing
import Timetable

@Suite struct WorldTests {
  private let instant = TestNetwork.morning * 1_000

  @Test(arguments: Scenario.allCases)
  func `The same seed gives the same bytes, in whatever order instants are asked for`(
    _ scenario: Scenario
  ) {
    let first = FeedWorld.test(scenario)
    let second = FeedWorld.test(scenario)
    let ticks = (0..<4).map { first.tick(.tripUpdates, at: instant + $0 * 600_000) }
    let alerts = (0..<4).map { first.tick(.alerts, at: instant + $0 * 600_000) }
    let forwards = ticks.map { first.tripUpdates(of: $0) } + alerts.map { first.alertFeed(of: $0) }
    let backwards =
      alerts.reversed().map { second.alertFeed(of: $0) }
      + ticks.reversed().map { second.tripUpdates(of: $0) }
    #expect(forwards == backwards.reversed())
    let other = FeedWorld.test(scenario, seed: 2)
    #expect(other.tripUpdates(of: ticks[0]) != forwards[0])
  }

  @Test(arguments: [200, 1_000, 15_000, 3_600_000] as [Int64])
  func `A feed is published once per period, a little late and never early`(_ period: Int64) {
    let world = FeedWorld.test(.calm, period: period)
    for (stream, length) in [(FeedStream.tripUpdates, period), (.alerts, 4 * period)] {
      var tick = world.tick(stream, at: instant)
      var offsets: Set<Int64> = []
      for _ in 0..<500 {
        let next = world.tick(stream, number: tick.number + 1)
        #expect(tick.nextInstant == next.instant)
        #expect(world.tick(stream, at: tick.nextInstant - 1) == tick)
        #expect(world.tick(stream, at: tick.nextInstant) == next)
        let late = next.instant - next.number * length
        #expect((0...length * 12 / 100).contains(late))
        offsets.insert(late)
        tick = next
      }
      #expect(offsets.count > 10)
    }
  }

  @Test func `A period outside the limits becomes the nearest one inside`() {
    let world = FeedWorld.test(.calm, period: 1)
    let tick = world.tick(.tripUpdates, at: instant)
    #expect((176...224).contains(tick.nextInstant - tick.instant))
  }

  @Test func `Entities keep their ids, and no two have the same`() throws {
    let world = FeedWorld.test(.storm)
    let first = world.tick(.tripUpdates, at: instant)
    let second = world.tick(.tripUpdates, at: first.nextInstant)
    #expect(second.sourceTime > first.sourceTime)
    func names(_ tick: FeedTick) throws -> [String: String] {
      let feed = try TripUpdateFeed(protobuf: world.tripUpdates(of: tick))
      let pairs = feed.trips.map { trip in
        (
          feed.texts[trip.entityID],
          "\(feed.texts[trip.tripID] ?? "") \(trip.startDate.map { "\($0)" } ?? "")"
            + " \(trip.relationship) \(trip.startTime ?? -1)"
        )
      }
      #expect(Set(pairs.map(\.0)).count == pairs.count)
      return Dictionary(pairs) { old, _ in old }
    }
    let before = try names(first)
    let after = try names(second)
    let both = before.keys.filter { after[$0] != nil }
    #expect(both.count * 20 > before.count * 18)
    #expect(both.allSatisfy { before[$0] == after[$0] })
  }

  @Test func `The JSON form says the same as the protobuf form`() throws {
    let world = FeedWorld.test(.storm)
    let bytes = world.tripUpdates(of: world.tick(.tripUpdates, at: instant))
    let json = try FeedDocument(FeedDocument(bytes).json())
    #expect(json.form == .json)
    let direct = try TripUpdateFeed(protobuf: bytes)
    let read = try json.tripUpdates()
    #expect(read.stopTimeUpdates.count == direct.stopTimeUpdates.count)
    #expect(read.trips.map(\.relationship) == direct.trips.map(\.relationship))
    #expect(read.header == direct.header)
  }

  // MARK: Scenarios

  private struct Census {
    var runs = 0
    var cancelled = 0
    var deleted = 0
    var replaced = 0
    var skipping = 0
    var extras = 0
    var late = 0
    var platforms = 0
    var gaps = 0
    var unreported = 0
  }

  /// Counts what becomes of all runs of a day, each looked at ten minutes after its start.
  private func census(_ scenario: Scenario) -> Census {
    let world = FeedWorld.test(scenario, seed: 11)
    let timetable = world.timetable
    var census = Census()
    let day = ServiceDay(zone: timetable.zone).date(at: TestNetwork.morning)
    for trip in 0..<UInt32(timetable.tripCount) where timetable.runs(trip, on: day) {
      let run = TripRun(trip: trip, day: day)
      let start = timetable.start(of: day) + Int64(timetable.start(of: trip))
      let state = world.state(of: run, at: start + 600)
      census.runs += 1
      switch state.phase {
      case .cancelled: census.cancelled += 1
      case .deleted: census.deleted += 1
      case .replaced: census.replaced += 1
      case .unreported: census.unreported += 1
      case .running, .extra: break
      }
      if state.calls.contains(where: { $0.standing == .skipped }) { census.skipping += 1 }
      if state.calls.contains(where: { $0.standing == .noData }) { census.gaps += 1 }
      if state.calls.contains(where: { $0.newPlatform != nil }) { census.platforms += 1 }
      if state.calls.contains(where: { $0.departureDelay >= 180 }) { census.late += 1 }
      if world.extra(besides: run, at: start + 1_500)?.state.phase == .extra { census.extras += 1 }
    }
    return census
  }

  @Test func `On a calm day nearly everything runs, and nearly on time`() {
    let census = census(.calm)
    #expect(census.runs > 800)
    #expect((1...census.runs / 50).contains(census.cancelled))
    #expect(census.late * 20 < census.runs)
    #expect(census.deleted == 0)
    #expect(census.unreported * 100 < census.runs * 12)
  }

  @Test func `In a rush many runs are late and few are cancelled`() {
    let census = census(.rush)
    #expect(census.late * 8 > census.runs)
    #expect(census.cancelled * 20 < census.runs)
    #expect(census.extras > 0)
  }

  @Test func `In a storm everything goes wrong often enough to be seen`() {
    let census = census(.storm)
    #expect(census.cancelled * 12 > census.runs)
    #expect(census.cancelled * 4 < census.runs)
    #expect(census.late * 5 > census.runs)
    #expect(census.deleted > 2)
    #expect(census.replaced > 5)
    #expect(census.skipping > 20)
    #expect(census.extras > 20)
    #expect(census.platforms > 40)
    #expect(census.gaps > 10)
    #expect(census.unreported > 10)
  }
}
