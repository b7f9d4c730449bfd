import GTFS
import Testing
import Timetable

@testable import StationboardServer

/// What the recorder counts, as a value: publications and instants in, counts out.
@Suite struct HistoryRecorderTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop

  /// Two trips of one line: at 10:00, and at 10:30; each boards at three stops and ends at the fourth.
  private func stage(zone: String = "Europe/Zurich") throws -> RealtimeStage {
    try RealtimeStage(
      [
        .init("t", ["1 a 10:00:00", "2 b 10:05:00", "3 c 10:10:00", "4 d 10:15:00"]),
        .init("u", ["1 a 10:30:00", "2 b 10:35:00", "3 c 10:40:00", "4 d 10:45:00"], route: "S1"),
      ],
      zone: zone
    )
  }

  /// A recorder and the stage it is of.
  private struct Run {
    let stage: RealtimeStage
    var recorder: HistoryRecorder
    var day = "2026-02-16"

    init(_ stage: RealtimeStage, from time: String = "09:00:00", day: String = "2026-02-16") {
      self.stage = stage
      self.day = day
      recorder = HistoryRecorder(stage.feed.timetable, from: Double(stage.at("\(day) \(time)")))
    }

    func at(_ time: String) -> Int64 { stage.at("\(day) \(time)") }

    mutating func publish(_ time: String, _ trips: [Trip]) throws {
      let index = try stage.index(trips, at: at(time), previous: recorder.index)
      recorder.publish(index, sources: [(1, index)], at: Double(at(time)))
    }

    mutating func advance(_ time: String) { recorder.advance(to: Double(at(time))) }

    /// The counts of a line, of all sources.
    func line(_ route: String = "R1", day: String? = nil) -> LineCounts {
      let date = ServiceDate(day ?? self.day)?.daysSinceEpoch
      return recorder.lines.reduce(into: LineCounts()) { sum, entry in
        if entry.key.route == route, entry.key.day == date { sum.add(entry.value) }
      }
    }
  }

  private func update(_ trip: String = "t", _ stops: Stop...) -> Trip {
    var update = Trip(trip, date: "20260216")
    update.stops = stops
    return update
  }

  @Test func `a departure is counted once, by the last word before it was over`() throws {
    var run = Run(try stage())
    try run.publish("09:58:00", [update("t", Stop(1, departure: .delay(0)))])
    #expect(run.line().planned == 0)
    try run.publish("10:00:30", [update("t", Stop(1, departure: .delay(90)))])
    // 10:01:30 and a minute have passed at 10:02:30.
    run.advance("10:02:29")
    #expect(run.line().planned == 0)
    run.advance("10:02:30")
    #expect(run.line().planned == 1)
    #expect(run.line().delays.count(.upTo3) == 1)
    // A later correction changes nothing, however often it comes.
    try run.publish("10:02:45", [update("t", Stop(1, departure: .delay(600)))])
    run.advance("10:03:00")
    #expect(run.line().delays.count(.over10) == 0)
  }

  @Test func `a time of the past that the source gives within a minute is the one that counts`()
    throws
  {
    var run = Run(try stage())
    try run.publish("09:59:00", [update("t", Stop(1, departure: .delay(0)))])
    try run.publish("10:00:45", [update("t", Stop(1, departure: .delay(-70)))])
    run.advance("10:02:00")
    #expect(run.line().delays.count(.early) == 1)
    #expect(run.line().planned == 1)
  }

  @Test func `a stop that the producer drops when the vehicle has left keeps its last word`() throws
  {
    var run = Run(try stage())
    try run.publish(
      "09:59:45",
      [update("t", Stop(1, departure: .delay(20)), Stop(2, departure: .delay(200)))]
    )
    try run.publish(
      "10:00:30",
      [update("t", Stop(2, departure: .delay(210)), Stop(3, departure: .delay(240)))]
    )
    try run.publish("10:09:00", [update("t", Stop(3, departure: .delay(310)))])
    run.advance("10:20:00")
    #expect(run.line().delays.count(.onTime) == 1)
    #expect(run.line().delays.count(.upTo5) == 1)
    #expect(run.line().delays.count(.upTo10) == 1)
    #expect(run.line().planned == 3)
    #expect(run.line().tripsSeen == 1)
  }

  @Test func `a prediction that ends long before the departure does not count`() throws {
    var run = Run(try stage())
    try run.publish("09:00:30", [update("t", Stop(1, departure: .delay(20)))])
    try run.publish("09:40:00", [])
    try run.publish("10:09:00", [])
    run.advance("10:16:00")
    #expect(run.line().delays.total == 0)
    #expect(run.line().tripsMissing == 1)
  }

  @Test
  func
    `trips without realtime are missing while the source lives, and unobserved while it does not`()
    throws
  {
    var run = Run(try stage())
    try run.publish("10:00:00", [update("u", Stop(1, departure: .delay(0)))])
    // Stale from 10:03 on: the departure at 10:00 was observed, those after it were not.
    run.advance("10:20:00")
    #expect(run.line().tripsMissing == 1)
    #expect(run.line().unpredicted == 1)
    #expect(run.line().unobserved == 2)
    run.advance("10:45:00")
    #expect(run.line("S1").tripsSeen == 1)
  }

  @Test func `a whole day without realtime is unobserved`() throws {
    var run = Run(try stage())
    run.advance("12:00:00")
    #expect(run.line().tripsUnobserved == 1)
    #expect(run.line().unobserved == 3)
    #expect(run.line().planned == 3)
  }

  @Test func `canceled trips, left out stops and deleted trips are told apart`() throws {
    var run = Run(try stage())
    try run.publish(
      "09:55:00",
      [
        update(
          "t",
          Stop(1, departure: .delay(0)),
          Stop(2, .skipped),
          Stop(3, departure: .delay(60))
        ),
        Trip("u", .canceled, date: "20260216"),
      ]
    )
    // The producer drops what is canceled as soon as it would have begun.
    try run.publish("10:31:00", [])
    run.advance("10:46:00")
    #expect(run.line().skipped == 1)
    #expect(run.line().delays.total == 2)
    #expect(run.line("S1").cancelled == 3)
    #expect(run.line("S1").tripsCancelled == 1)
    var deleted = Run(try stage())
    try deleted.publish("09:55:00", [Trip("t", .deleted, date: "20260216")])
    deleted.advance("10:20:00")
    #expect(deleted.line().cancelled == 3)
    #expect(deleted.line().tripsCancelled == 1)
  }

  @Test func `a trip that is hours late is followed until it has left its last stop`() throws {
    var run = Run(try stage())
    try run.publish("10:05:00", [update("t", Stop(1, departure: .delay(7_200)))])
    run.advance("10:30:00")
    #expect(run.line().planned == 0)
    try run.publish("12:00:30", [update("t", Stop(1, departure: .delay(7_200)))])
    run.advance("12:12:00")
    #expect(run.line().delays.count(.over10) == 3)
    #expect(run.line().trips == 1)
  }

  @Test func `the counts do not depend on how often time passes`() throws {
    func counts(_ step: Int64) throws -> [LineDay: LineCounts] {
      var run = Run(try stage())
      let publications: [(String, [Trip])] = [
        ("09:58:00", [update("t", Stop(1, departure: .delay(30)))]),
        ("10:00:10", [update("t", Stop(2, departure: .delay(130)))]),
        ("10:12:00", [update("u", Stop(1, departure: .delay(-90)))]),
        ("10:31:00", [update("u", Stop(1, .skipped))]),
      ]
      for (time, trips) in publications {
        while Int64(run.recorder.settled) + step < run.at(time) {
          run.recorder.advance(to: run.recorder.settled + Double(step))
        }
        try run.publish(time, trips)
      }
      while run.recorder.settled < Double(run.at("11:30:00")) {
        run.recorder.advance(to: run.recorder.settled + Double(step))
      }
      return run.recorder.lines
    }
    let often = try counts(1)
    #expect(often == (try counts(47)))
    #expect(often == (try counts(600)))
    #expect(often.values.reduce(0) { $0 + $1.planned } == 6)
  }

  @Test func `a recorder goes on where another one ended, and counts nothing twice`() throws {
    let stage = try stage()
    var whole = Run(stage)
    var first = Run(stage)
    let early = [update("t", Stop(1, departure: .delay(30)), Stop(2, departure: .delay(100)))]
    let later = [update("t", Stop(1, departure: .delay(30)), Stop(2, departure: .delay(400)))]
    try whole.publish("09:59:00", early)
    try first.publish("09:59:00", early)
    first.advance("10:03:00")
    #expect(first.line().planned == 1)
    var second = first
    second.recorder = HistoryRecorder(
      stage.feed.timetable,
      after: first.recorder.checkpoint,
      lines: first.recorder.takeChanges()
    )
    try whole.publish("10:03:10", later)
    try second.publish("10:03:10", later)
    whole.advance("11:00:00")
    second.advance("11:00:00")
    #expect(whole.recorder.lines == second.recorder.lines)
    #expect(second.line().planned == 3)
    #expect(second.line("S1").trips == 1)
  }

  @Test func `a late trip is followed over a restart, though all others of its day are over`()
    throws
  {
    var run = Run(try stage())
    try run.publish("10:05:00", [update("t", Stop(1, departure: .delay(7_200)))])
    run.advance("10:50:00")
    #expect(run.line().planned == 0)
    #expect(run.line("S1").trips == 1)
    run.recorder = HistoryRecorder(
      run.stage.feed.timetable,
      after: run.recorder.checkpoint,
      lines: run.recorder.takeChanges()
    )
    // The first realtime comes a while after the restart.
    run.advance("10:50:05")
    try run.publish("10:51:00", [update("t", Stop(1, departure: .delay(7_200)))])
    try run.publish("12:00:30", [update("t", Stop(1, departure: .delay(7_200)))])
    run.advance("12:12:00")
    #expect(run.line().delays.count(.over10) == 3)
    #expect(run.line().trips == 1)
  }

  @Test func `without realtime after a restart it goes on after a while`() throws {
    var run = Run(try stage())
    run.advance("09:30:00")
    run.recorder = HistoryRecorder(
      run.stage.feed.timetable,
      after: run.recorder.checkpoint,
      lines: run.recorder.takeChanges()
    )
    run.advance("10:20:00")
    #expect(run.line().trips == 0)
    run.advance("10:25:00")
    #expect(run.line().tripsUnobserved == 1)
    #expect(run.line().unobserved == 3)
  }

  @Test func `trips after midnight belong to their service day`() throws {
    let stage = try RealtimeStage([.init("n", ["1 a 25:30:00", "2 b 25:40:00"])])
    var run = Run(stage, from: "20:00:00")
    run.day = "2026-02-17"
    try run.publish("01:20:00", [update("n", Stop(1, departure: .delay(240)))])
    run.advance("02:00:00")
    #expect(run.line(day: "2026-02-16").delays.count(.upTo5) == 1)
    #expect(run.line(day: "2026-02-17").planned == 0)
  }

  @Test func `on the days when clocks change each trip is counted once, at its instant`() throws {
    // 2026-03-29 has 23 hours in Zurich, 2026-10-25 has 25; times count from noon minus twelve hours.
    let stage = try RealtimeStage([
      .init("early", ["1 a 01:30:00", "2 b 01:40:00"]),
      .init("t", ["1 a 10:00:00", "2 b 10:05:00"]),
      .init("night", ["1 a 24:30:00", "2 b 24:40:00"]),
    ])
    for (day, stamp) in [("2026-03-29", "20260329"), ("2026-10-25", "20261025")] {
      let noon = stage.at("\(day) 12:00:00")
      var recorder = HistoryRecorder(stage.feed.timetable, from: Double(noon - 50_000))
      for (trip, time) in [("early", 5_400), ("t", 36_000), ("night", 88_200)] {
        let leaves = noon - 43_200 + Int64(time)
        var update = Trip(trip, date: stamp)
        update.stops = [Stop(1, departure: .delay(75))]
        let index = try stage.index([update], at: leaves - 30)
        recorder.publish(index, sources: [(1, index)], at: Double(leaves - 30))
        recorder.advance(to: Double(leaves + 134))
        let before = recorder.lines.filter { $0.value.delays.total > 0 }
        recorder.advance(to: Double(leaves + 135))
        let after = recorder.lines.filter { $0.value.delays.total > 0 }
        #expect(before != after)
      }
      recorder.advance(to: Double(noon + 50_000))
      let counted = recorder.changed.filter { Int($0.day) == ServiceDate(day)?.daysSinceEpoch }
        .compactMap { recorder.counts[$0] }.reduce(into: LineCounts()) { $0.add($1) }
      #expect(counted.delays.count(.upTo3) == 3)
      #expect(counted.planned == 3)
    }
  }

  @Test func `runs of a frequency without exact times have no punctuality`() throws {
    let stage = try RealtimeStage(
      [.init("f", ["1 a 10:00:00", "2 b 10:05:00"])],
      files: [
        "frequencies.txt":
          "trip_id,start_time,end_time,headway_secs,exact_times\nf,10:00:00,11:00:00,600,0\n"
      ]
    )
    var run = Run(stage)
    run.advance("12:00:00")
    #expect(run.recorder.lines.isEmpty)
  }

  @Test func `added trips and updates that match nothing are counted once, not once a publication`()
    throws
  {
    let stage = try stage()
    var run = Run(stage)
    var extra = Trip("x", .added, date: "20260216")
    extra.route = "R1"
    extra.stops = [
      Stop(1, "a", departure: .time(run.at("10:20:00"))),
      Stop(2, "b", arrival: .time(run.at("10:25:00"))),
    ]
    var lost = Trip("lost", date: "20260216")
    lost.route = "R1"
    lost.stops = [Stop(1, departure: .delay(0))]
    try run.publish("09:50:00", [extra, lost])
    try run.publish("09:51:00", [extra, lost])
    #expect(run.line().tripsAdded == 1)
    #expect(run.line().mostUnmatched == 1)
  }

  @Test func `of several sources each has the departures that it told of`() throws {
    let stage = try stage()
    var run = Run(stage)
    let first = try stage.index(
      [update("t", Stop(1, departure: .delay(0)))],
      at: run.at("09:59:00")
    )
    let second = try stage.index(
      [update("u", Stop(1, departure: .delay(0)))],
      at: run.at("09:59:00")
    )
    let both = try #require(RealtimeBuilder.combined([first, second]))
    run.recorder.publish(both, sources: [(1, first), (2, second)], at: Double(run.at("09:59:00")))
    run.advance("11:00:00")
    let day = try #require(ServiceDate("2026-02-16")).daysSinceEpoch
    #expect(run.recorder.lines[LineDay(day: day, route: "R1", source: 1)]?.delays.total == 3)
    #expect(run.recorder.lines[LineDay(day: day, route: "S1", source: 2)]?.delays.total == 3)
  }
}

/// Delays in ranges, and what is read off them.
@Suite struct DelayHistogramTests {
  @Test func `each delay is in one share, with its lower bound`() {
    var histogram = DelayHistogram()
    for delay in [-61, -60, 0, 59, 60, 179, 180, 299, 300, 599, 600, 90_000] {
      histogram.add(delay)
    }
    #expect(DelayHistogram.Share.allCases.map { histogram.count($0) } == [1, 3, 2, 2, 2, 2])
    #expect(histogram.total == 12)
    #expect(DelayHistogram(bytes: histogram.bytes) == histogram)
    #expect(DelayHistogram(bytes: [1, 2]) == nil)
    #expect(DelayHistogram(bytes: histogram.bytes + [0]) == nil)
  }

  @Test func `quantiles lie within the range of the delay that has their rank`() {
    var state: UInt64 = 7
    for _ in 0..<200 {
      var delays: [Int] = []
      for _ in 0..<50 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        delays.append(Int(state >> 40) % 900 - 200)
      }
      let histogram = delays.reduce(into: DelayHistogram()) { $0.add($1) }
      let sorted = delays.sorted()
      for (share, rank) in [(0.5, 24), (0.9, 44)] {
        let value = histogram.quantile(share) ?? .min
        let truth = sorted[rank]
        let low = DelayHistogram.bounds.last { $0 <= truth } ?? DelayHistogram.bounds[0]
        let high = DelayHistogram.bounds.first { $0 > truth } ?? .max
        #expect(low <= value && value <= high)
      }
    }
    #expect(DelayHistogram().quantile(0.5) == nil)
  }
}

/// Points of the series.
@Suite struct HistorySeriesTests {
  private let source = HistorySubject(feed: "default", kind: "trip-updates", number: 1)

  @Test func `an age that grows is cut at the borders of points, and its mean is exact`() throws {
    var series = HistorySeries()
    series.age(of: source, made: 990, until: 1_000)
    series.age(of: source, made: 990, until: 1_010)
    series.age(of: source, made: 1_008, until: 1_300)
    let points = series.takeChanges(at: 1_300).sorted { $0.start < $1.start }
    #expect(points.map(\.start) == [900, 1_200])
    // 10 to 20 s for 10 s, then 2 to 192 s for 190 s.
    #expect(points[0].point.seconds == 200)
    #expect(points[0].point.least == 2)
    #expect(points[0].point.most == 192)
    #expect(points[0].point.mean == 92.9)
    #expect(points[1].point.mean == 242)
  }

  @Test func `what lies between two checks that are far apart is not known`() {
    var series = HistorySeries()
    series.age(of: source, made: 0, until: 10)
    series.age(of: source, made: 0, until: 4_000)
    #expect(series.takeChanges(at: 4_000).isEmpty)
  }

  @Test func `a point that is not over is written again, whole`() {
    var series = HistorySeries()
    series.change(source, at: 10) { $0.good += 1 }
    #expect(series.takeChanges(at: 20).map(\.point.good) == [1])
    series.change(source, at: 30) { $0.good += 1 }
    #expect(series.takeChanges(at: 310).map(\.point.good) == [2])
    series.change(source, at: 320) { $0.good += 1 }
    #expect(series.takeChanges(at: 330).map(\.point.good) == [1])
  }
}
