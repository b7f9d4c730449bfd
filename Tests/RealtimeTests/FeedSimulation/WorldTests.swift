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

  private struct Counts {
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
  private func counters(_ scenario: Scenario) -> Counts {
    let world = FeedWorld.test(scenario, seed: 11)
    let timetable = world.timetable
    var counters = Counts()
    let day = ServiceDay(zone: timetable.zone).date(at: TestNetwork.morning)
    for trip in 0..<UInt32(timetable.tripCount) where timetable.runs(trip, on: day) {
      let run = TripRun(trip: trip, day: day)
      let start = timetable.start(of: day) + Int64(timetable.start(of: trip))
      let state = world.state(of: run, at: start + 600)
      counters.runs += 1
      switch state.phase {
      case .cancelled: counters.cancelled += 1
      case .deleted: counters.deleted += 1
      case .replaced: counters.replaced += 1
      case .unreported: counters.unreported += 1
      case .running, .extra: break
      }
      if state.calls.contains(where: { $0.status == .skipped }) { counters.skipping += 1 }
      if state.calls.contains(where: { $0.status == .noData }) { counters.gaps += 1 }
      if state.calls.contains(where: { $0.newPlatform != nil }) { counters.platforms += 1 }
      if state.calls.contains(where: { $0.departureDelay >= 180 }) { counters.late += 1 }
      if world.extra(besides: run, at: start + 1_500)?.state.phase == .extra {
        counters.extras += 1
      }
    }
    return counters
  }

  @Test func `On a calm day nearly everything runs, and nearly on time`() {
    let counters = counters(.calm)
    #expect(counters.runs > 800)
    #expect((1...counters.runs / 50).contains(counters.cancelled))
    #expect(counters.late * 20 < counters.runs)
    #expect(counters.deleted == 0)
    #expect(counters.unreported * 100 < counters.runs * 12)
  }

  @Test func `In a rush many runs are late and few are cancelled`() {
    let counters = counters(.rush)
    #expect(counters.late * 8 > counters.runs)
    #expect(counters.cancelled * 20 < counters.runs)
    #expect(counters.extras > 0)
  }

  @Test func `In a storm everything goes wrong often enough to be seen`() {
    let counters = counters(.storm)
    #expect(counters.cancelled * 12 > counters.runs)
    #expect(counters.cancelled * 4 < counters.runs)
    #expect(counters.late * 5 > counters.runs)
    #expect(counters.deleted > 2)
    #expect(counters.replaced > 5)
    #expect(counters.skipping > 20)
    #expect(counters.extras > 20)
    #expect(counters.platforms > 40)
    #expect(counters.gaps > 10)
    #expect(counters.unreported > 10)
  }
}
