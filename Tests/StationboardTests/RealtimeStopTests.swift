import Testing

@testable import StationboardServer

/// Which stop an update is of, and when the trip leaves it (reference, "Stop Time Updates").
@Suite struct RealtimeStopTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop
  private typealias Event = RealtimeWire.Event

  /// Five stops, ten minutes apart, two minutes of halt at c.
  private func line() throws -> RealtimeStage {
    try RealtimeStage([
      .init(
        "t",
        ["1 a 10:00:00", "2 b 10:10:00", "3 c 10:20:00 10:22:00", "4 d 10:30:00", "5 e 10:40:00"]
      )
    ])
  }

  private func delays(
    _ stage: RealtimeStage,
    _ stops: [Stop],
    delay: Int? = nil
  ) throws -> [Int?] {
    var update = Trip("t", date: "20260216").with { $0.delay = delay }
    update.stops = stops
    let now = stage.at("2026-02-16 09:50:00")
    return try ["a", "b", "c", "d"].map { stop in
      try stage.departures(stop, at: now, [update]).first?.rawDelaySec
    }
  }

  // MARK: Times

  @Test func `an arrival alone makes the departure as late as the arrival`() throws {
    let stage = try line()
    #expect(try delays(stage, [Stop(3, arrival: .delay(300))]) == [nil, nil, 300, 300])
    let time = stage.at("2026-02-16 10:25:00")
    #expect(try delays(stage, [Stop(3, arrival: .time(time))]) == [nil, nil, 300, 300])
    #expect(try delays(stage, [Stop(3, arrival: .delay(-120))]) == [nil, nil, -120, -120])
  }

  @Test func `a departure wins over an arrival`() throws {
    let stage = try line()
    let stop = Stop(3, arrival: .delay(300), departure: .delay(180))
    #expect(try delays(stage, [stop]) == [nil, nil, 180, 180])
    let empty = Stop(3, arrival: .delay(300), departure: Event())
    #expect(try delays(stage, [empty]) == [nil, nil, 300, 300])
  }

  @Test func `a time alone makes a delay that goes on`() throws {
    let stage = try line()
    let time = stage.at("2026-02-16 10:12:30")
    #expect(try delays(stage, [Stop(2, departure: .time(time))]) == [nil, 150, 150, 150])
  }

  @Test func `SKIPPED keeps the delay, NO_DATA and an update without a time end it`() throws {
    let stage = try line()
    let first = Stop(1, departure: .delay(120))
    #expect(try delays(stage, [first, Stop(2, .skipped)]) == [120, 120, 120, 120])
    #expect(try delays(stage, [first, Stop(2, .noData)]) == [120, nil, nil, nil])
    #expect(try delays(stage, [first, Stop(2)]) == [120, nil, nil, nil])
    let again = [first, Stop(2, .noData), Stop(4, departure: .delay(60))]
    #expect(try delays(stage, again) == [120, nil, nil, 60])
    let ignored = Stop(2, departure: .delay(999), .noData)
    #expect(try delays(stage, [first, ignored]) == [120, nil, nil, nil])
  }

  @Test func `the delay of the trip holds until the first stop with a time`() throws {
    let stage = try line()
    #expect(try delays(stage, [], delay: 90) == [90, 90, 90, 90])
    let third = Stop(3, departure: .delay(30))
    #expect(try delays(stage, [third], delay: 90) == [90, 90, 30, 30])
    #expect(try delays(stage, [Stop(2), third], delay: 90) == [90, 90, 30, 30])
    #expect(try delays(stage, [Stop(2, .noData)], delay: 90) == [90, nil, nil, nil])
  }

  @Test(arguments: [86_401, -86_401])
  func `a prediction more than a day away is ignored`(seconds: Int) throws {
    let stage = try line()
    let stops = [Stop(1, departure: .delay(60)), Stop(2, departure: .delay(seconds))]
    #expect(try delays(stage, stops) == [60, nil, nil, nil])
    let zero = [Stop(1, departure: .time(0)), Stop(2, departure: .time(.max))]
    #expect(try delays(stage, zero) == [nil, nil, nil, nil])
    var update = Trip("t", date: "20260216")
    update.stops = zero
    let counters = try stage.index([update], at: stage.at("2026-02-16 09:50:00")).counters
    #expect(counters.implausibleTimes == 2)
  }

  @Test func `time and delay that differ by up to four hours are not a contradiction`() throws {
    let stage = try line()
    let scheduled = stage.at("2026-02-16 10:00:00")
    func delay(_ seconds: Int64) throws -> Int? {
      let event = Event(time: scheduled + seconds, delay: 0)
      return try stage.departures(
        "a",
        at: scheduled - 600,
        [Trip("t", date: "20260216").with(Stop(1, departure: event))],
        window: 720
      ).first { $0.serviceDate == "2026-02-16" }?.rawDelaySec
    }
    #expect(try delay(14_400) == 14_400)
    #expect(try delay(14_401) == 0)
  }

  // MARK: Which stop

  /// A loop: out from the square, around, and back over it.
  private func loop() throws -> RealtimeStage {
    try RealtimeStage([
      .init(
        "t",
        ["1 sq 10:00:00", "2 a 10:10:00", "3 sq 10:20:00", "4 b 10:30:00", "5 sq 10:40:00"]
      )
    ])
  }

  private func square(_ stops: [Stop]) throws -> [Int?] {
    let stage = try loop()
    var update = Trip("t", date: "20260216")
    update.stops = stops
    return try stage.departures("sq", at: stage.at("2026-02-16 09:50:00"), [update])
      .map(\.rawDelaySec)
  }

  @Test func `in a loop the sequence tells the visits of a stop apart`() throws {
    #expect(try square([Stop(3, "sq", departure: .delay(60))]) == [nil, 60])
    #expect(try square([Stop(1, "sq", departure: .delay(60)), Stop(3, .noData)]) == [60, nil])
  }

  @Test func `without a sequence the visits of a stop are taken in order`() throws {
    let stops = [
      Stop(nil, "sq", departure: .delay(60)), Stop(nil, "a", departure: .delay(90)),
      Stop(nil, "sq", departure: .delay(120)),
    ]
    #expect(try square(stops) == [60, 120])
    #expect(try square([stops[1], stops[2]]) == [nil, 120])
  }

  @Test func `updates in the wrong order find their stops`() throws {
    let stage = try line()
    let stops = [Stop(nil, "d", departure: .delay(10)), Stop(nil, "b", departure: .delay(20))]
    #expect(try delays(stage, stops) == [nil, 20, 20, 10])
  }

  @Test func `where sequence and stop disagree, the stop decides`() throws {
    let stage = try line()
    #expect(try delays(stage, [Stop(1, "c", departure: .delay(60))]) == [nil, nil, 60, 60])
    #expect(try delays(stage, [Stop(99, "c", departure: .delay(60))]) == [nil, nil, 60, 60])
    #expect(try delays(stage, [Stop(99, departure: .delay(60))]) == [nil, nil, nil, nil])
    // An id that means no stop decides nothing.
    #expect(try delays(stage, [Stop(2, "elsewhere", departure: .delay(60))]) == [nil, 60, 60, 60])
  }

  // MARK: Platforms and Swiss ids

  private func station() throws -> RealtimeStage {
    try RealtimeStage(
      [
        .init("t", ["1 8501008:0:3 10:00:00", "2 x 10:10:00"], route: "S1"),
        .init("u", ["1 8501008:0:4 10:05:00", "2 x 10:15:00"], route: "S1"),
      ],
      stations: ["Parent8501008": ["8501008:0:3", "8501008:0:4"]]
    )
  }

  @Test(arguments: [
    "8501008:0:3", "Parent8501008", "8501008", "8501008P", "8501008:0", "ch:1:sloid:1008",
    "ch:1:sloid:1008:0:3",
  ])
  func `every shape of a Swiss id is the same station`(id: String) throws {
    let stage = try station()
    let update = Trip("t", date: "20260216").with(Stop(nil, id, departure: .delay(120)))
    let rows = try stage.departures("8501008", at: stage.at("2026-02-16 09:50:00"), [update])
    #expect(rows.map(\.delayMin) == [2, nil])
    #expect(rows.map(\.platformChanged) == [false, false])
    #expect(rows.map(\.platform) == ["3", "4"])
  }

  @Test func `a moved departure is on the boards of both platforms, and once on the station's`()
    throws
  {
    let stage = try station()
    let update = Trip("t", date: "20260216").with(Stop(1, "8501008:0:4", departure: .delay(0)))
    let now = stage.at("2026-02-16 09:50:00")
    #expect(try stage.departures("8501008:0:3", at: now, [update]).map(\.tripId) == ["t"])
    #expect(try stage.departures("8501008:0:4", at: now, [update]).map(\.tripId) == ["t", "u"])
    let all = try stage.departures("Parent8501008", at: now, [update])
    #expect(all.map(\.tripId) == ["t", "u"])
    #expect(all.first?.platform == "4")
    #expect(all.first?.previousPlatform == "3")
    #expect(all.first?.stopId == "8501008:0:3")
  }

  @Test func `an assigned stop is a platform change, also without a prediction`() throws {
    let stage = try station()
    let update = Trip("t", date: "20260216").with(Stop(1, .noData, assigned: "8501008:0:4"))
    let now = stage.at("2026-02-16 09:50:00")
    let row = try #require(try stage.departures("8501008", at: now, [update]).first)
    #expect(row.platform == "4")
    #expect(row.platformChanged)
    #expect(row.delayMin == nil)
    #expect(row.status == "UNKNOWN")
    let same = Trip("t", date: "20260216").with(Stop(1, .noData, assigned: "8501008:0:3"))
    #expect(try stage.departures("8501008", at: now, [same]).first?.platformChanged == false)
  }

  @Test func `a new trip at a platform that the timetable lacks is on the station's board`() throws
  {
    let stage = try station()
    let now = stage.at("2026-02-16 09:50:00")
    let update = Trip("new", .new).with(
      Stop(1, "8501008:0:7", departure: .time(now + 60)),
      Stop(2, "x", arrival: .time(now + 600))
    )
    let row = try #require(try stage.departures("8501008", at: now, [update]).first)
    #expect(row.platform == "7")
    #expect(!row.platformChanged)
    #expect(row.stopId == "Parent8501008")
  }

  @Test func `boarding is not possible where pickup is not allowed, nor at the last stop`() throws {
    let stage = try RealtimeStage([
      .init("t", ["1 a 10:00:00", "2 b 10:10:00 no-pickup", "3 c 10:20:00"])
    ])
    let now = stage.at("2026-02-16 09:50:00")
    let update = Trip("t", date: "20260216").with(Stop(1, departure: .delay(60)))
    #expect(try stage.departures("a", at: now, [update]).count == 1)
    #expect(try stage.departures("b", at: now, [update]).isEmpty)
    #expect(try stage.departures("c", at: now, [update]).isEmpty)
  }
}
