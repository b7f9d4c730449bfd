import FeedSimulation
import GTFSRealtime
import Testing
import Timetable

@Suite struct TruthTests {
  private static let instants = [
    TestNetwork.morning, TestNetwork.morning + 947, TestNetwork.clockChange,
    TestNetwork.afterMidnight, TestNetwork.morning + 8 * 3_600 + 13,
  ]

  @Test(arguments: Scenario.allCases, instants)
  func `The truth is what the feed says, at every stop of every run`(
    _ scenario: Scenario,
    _ instant: Int64
  ) throws {
    let world = FeedWorld.test(scenario)
    let tick = world.tick(.tripUpdates, at: instant * 1_000)
    let published = try PublishedFeed(world.tripUpdates(of: tick), world.timetable)
    #expect(published.feed.header.timestamp == UInt64(tick.sourceTime))
    var reported = 0
    for run in world.allRuns(around: instant) {
      reported += compare(run, published, world, at: tick.sourceTime)
    }
    #expect(reported > 20)
    #expect(published.feed.counters.rejectedTotal == 0)
    #expect(published.feed.counters.invalidStartTimes == 0)
  }

  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func `The truth is what the feed says in every world`(_ seed: UInt64) throws {
    let world = FeedWorld.test(.storm, seed: seed)
    let tick = world.tick(.tripUpdates, at: TestNetwork.morning * 1_000)
    let published = try PublishedFeed(world.tripUpdates(of: tick), world.timetable)
    for name in published.runs.keys {
      for trip in world.timetable.trips(id: name.trip)
      where name.start == nil || world.timetable.start(of: trip) == name.start {
        _ = compare(TripRun(trip: trip, day: name.day), published, world, at: tick.sourceTime)
      }
    }
  }

  /// Compares what the feed says of a run with the truth.
  ///
  /// - Returns: At how many stops it is served.
  private func compare(
    _ run: TripRun,
    _ published: PublishedFeed,
    _ world: FeedWorld,
    at instant: Int64
  ) -> Int {
    let timetable = world.timetable
    var served = 0
    for (position, said) in published.stops(of: run).enumerated() {
      let truth = world.truth(run.trip, run.day, stopIndex: position, at: instant)
      let count = timetable.callCount(of: run.trip)
      // A feed says no arrival at the first stop and no departure at the last.
      let expected = PublishedFeed.Stop(
        status: truth.status,
        arrivalDelay: position == 0 ? truth.departureDelay : truth.arrivalDelay,
        departureDelay: position == count - 1 ? truth.arrivalDelay : truth.departureDelay,
        newPlatform: truth.newPlatform.map { stop in
          String(decoding: timetable.id(of: stop), as: UTF8.self)
        }
      )
      #expect(said == expected, "\(run) at \(position)")
      if truth.status == .served { served += 1 }
    }
    return served
  }

  @Test func `Only runs that may be in the feed are looked at, and none is missed`() throws {
    let world = FeedWorld.test(.storm)
    for instant in Self.instants {
      let tick = world.tick(.tripUpdates, at: instant * 1_000)
      let published = try PublishedFeed(world.tripUpdates(of: tick), world.timetable)
      let runs = world.allRuns(around: instant)
      let reported = runs.filter {
        world.state(of: $0, at: tick.sourceTime).phase != .unreported
      }
      let extras = runs.filter {
        world.extra(besides: $0, at: tick.sourceTime)?.state.phase == .extra
      }
      #expect(reported.count == published.runs.count)
      #expect(extras.count == published.extras.count)
      #expect(published.feed.trips.count == reported.count + extras.count)
    }
  }

  @Test func `An extra run has the times that the world has`() throws {
    let world = FeedWorld.test(.storm)
    let tick = world.tick(.tripUpdates, at: TestNetwork.morning * 1_000)
    let published = try PublishedFeed(world.tripUpdates(of: tick), world.timetable)
    let feed = published.feed
    var kinds: Set<TripScheduleRelationship> = []
    for run in world.allRuns(around: TestNetwork.morning) {
      guard let extra = world.extra(besides: run, at: tick.sourceTime),
        extra.state.phase == .extra
      else { continue }
      let update = try #require(published.extras["\(extra.id)/\(run.day)"])
      kinds.insert(update.relationship)
      let given = feed.updates(of: update)
      let calls = extra.state.calls[extra.state.firstReported...]
      #expect(given.map(\.stopSequence) == calls.map(\.sequence))
      for (said, call) in zip(given, calls) where call.position < extra.state.calls.count - 1 {
        let departure = try #require(said.departure)
        if update.relationship == .duplicated {
          #expect(departure.delay == call.departureDelay)
        } else {
          #expect(departure.time == call.departure)
        }
      }
      if update.relationship == .duplicated {
        let properties = try #require(update.properties)
        let start = try #require(extra.state.calls.first).scheduledDeparture
        let midnight = world.timetable.start(of: run.day)
        #expect(properties.startTime.map { Int64($0) } == start - midnight)
      } else {
        #expect(feed.texts[update.properties?.headsign] != nil)
      }
    }
    #expect(kinds == [.added, .new, .duplicated])
  }

  @Test func `Runs of a frequency are told apart by their start`() throws {
    let world = FeedWorld.test(.rush)
    let tick = world.tick(.tripUpdates, at: TestNetwork.morning * 1_000)
    let feed = try TripUpdateFeed(protobuf: world.tripUpdates(of: tick))
    let runs = feed.trips.filter { feed.texts[$0.tripID] == "F-1" }
    #expect(runs.count > 2)
    #expect(Set(runs.map(\.startTime)).count == runs.count)
    #expect(runs.allSatisfy { $0.startTime != nil })
  }

  @Test(arguments: [Scenario.calm, .storm])
  func `The departures of a station are those whose effective time is in the window`(
    _ scenario: Scenario
  ) throws {
    let world = FeedWorld.test(scenario)
    let timetable = world.timetable
    let station = try #require(timetable.stop(id: "S5"))
    let instant = TestNetwork.morning
    let window: Int64 = 3_600
    let rows = world.departures(at: station, at: instant, window: window)
    var expected: [String] = []
    for run in world.allRuns(around: instant) {
      for position in 0..<timetable.callCount(of: run.trip) - 1 {
        let call = timetable.call(position, of: run.trip)
        guard timetable.station(of: call.stop) == station, call.allowsPickup else { continue }
        let truth = world.truth(run.trip, run.day, stopIndex: position, at: instant)
        let scheduled = timetable.start(of: run.day) + Int64(call.departure)
        let departure = truth.departure ?? scheduled
        guard departure >= instant - FeedWorld.grace, departure < instant + window else { continue }
        expected.append("\(run) \(call.sequence) \(departure) \(truth.status)")
      }
    }
    let scheduledRows = rows.filter { !$0.isExtra }.map {
      "\($0.run) \($0.sequence) \($0.effectiveDeparture) \($0.truth.status)"
    }
    #expect(scheduledRows.sorted() == expected.sorted())
    #expect(rows.map(\.effectiveDeparture) == rows.map(\.effectiveDeparture).sorted())
    let isLate = rows.contains { $0.scheduledDeparture < instant - FeedWorld.grace }
    #expect(isLate == (scenario == .storm))
    if scenario == .storm { #expect(rows.contains { $0.isExtra }) }
  }
}
