import GTFS
import GTFSRealtime
import Testing

@testable import StationboardServer

/// When alerts are shown, in which order, and how often (research §5.4, §5.5, §5.6).
@Suite struct AlertBoardTests {
  private let stage: AlertStage

  init() throws { stage = try AlertStage.open() }

  private func isShown(_ alert: Alert, at instant: String) throws -> Bool {
    try stage.board([alert], at: instant) == ["banners": [alert.entityID]]
  }

  private func alert(_ text: String = "") -> Alert {
    Alert("a", .init(stopID: "8501120"))
      .with { $0.text = TranslatedText([.init(text: text, language: "en")]) }
  }

  // MARK: §5.4, the text is never read

  @Test func `§5.4 period: active from its start on and before its end`() throws {
    let alert = try alert().active(("2026-02-21T23:00:00Z", "2026-02-24T23:00:00Z"))
    #expect(try isShown(alert, at: "2026-02-22T12:00:00Z"))
    #expect(try isShown(alert, at: "2026-02-21T23:00:00Z"))
    #expect(try !isShown(alert, at: "2026-02-21T22:59:59Z"))
    #expect(try isShown(alert, at: "2026-02-24T22:59:59Z"))
    #expect(try !isShown(alert, at: "2026-02-24T23:00:00Z"))
    #expect(try !isShown(alert, at: "2026-02-25T12:00:00Z"))
  }

  @Test(arguments: [
    "Every night from 01:00 to 05:00", "from 20.02.2026, 13:30 until 23.02.2026, 02:00",
    "Valid from 21 to 22. 21:00 to 05:00 at station.", "Valable la nuit: 01:00 à 05:00",
  ])
  func `§5.4 windows in prose: the period decides, not the text`(text: String) throws {
    let alert = try alert(text).active(("2026-02-19T23:00:00Z", "2026-02-25T23:00:00Z"))
    for time in ["01:30", "02:30", "11:00", "20:00", "21:30"] {
      #expect(try isShown(alert, at: "2026-02-22T\(time):00Z"))
    }
    #expect(try !isShown(alert, at: "2026-02-26T01:30:00Z"))
  }

  @Test func `§5.4 nights as several periods: each is kept apart`() throws {
    let alert = try alert().active(
      ("2026-02-23T00:00:00Z", "2026-02-23T04:00:00Z"),
      ("2026-02-22T00:00:00Z", "2026-02-22T04:00:00Z"),
      ("2026-02-24T00:00:00Z", "2026-02-24T04:00:00Z")
    )
    for day in ["22", "23", "24"] {
      #expect(try isShown(alert, at: "2026-02-\(day)T01:30:00Z"))
      #expect(try !isShown(alert, at: "2026-02-\(day)T11:00:00Z"))
    }
  }

  @Test func `periods: none is always, a side left out is open, an inverted one is never`() throws {
    let now = "2026-02-24T07:00:00Z"
    #expect(try isShown(alert(), at: now))
    #expect(try isShown(try alert().active(("", "2026-02-24T07:00:01Z")), at: now))
    #expect(try isShown(try alert().active(("2026-02-24T07:00:00Z", "")), at: now))
    #expect(try !isShown(try alert().active(("", "2026-02-24T07:00:00Z")), at: now))
    #expect(
      try !isShown(
        try alert().active(("2026-02-25T00:00:00Z", "2026-02-23T00:00:00Z")),
        at: now
      )
    )
  }

  @Test func `communication periods come before active periods`() throws {
    let alert = try alert().active(("2026-02-24T12:00:00Z", "2026-02-24T13:00:00Z"))
      .with { $0.communicationPeriods = [ActivePeriod(start: 1, end: nil)] }
    #expect(try isShown(alert, at: "2026-02-24T07:00:00Z"))
  }

  @Test func `nextChangeAt is when an alert of this board starts or ends`() throws {
    func next(_ alerts: [Alert], at instant: String = "2026-02-24T07:00:00Z") throws -> Double? {
      AlertSelection(
        index: AlertIndex(alerts, stage.directory),
        stop: try stage.stop("Parent8501120"),
        rows: try stage.rows(),
        now: try epochSeconds(instant),
        language: nil
      ).nextChangeAt
    }
    let ten = "2026-02-24T10:00:00Z"
    let nine = "2026-02-24T09:00:00Z"
    #expect(try next([alert()]) == nil)
    #expect(try next([try alert().active(("", ten))]) == epochSeconds(ten))
    #expect(try next([try alert().active((nine, ten))]) == epochSeconds(nine))
    #expect(try next([try alert().active(("", nine), (nine, ten))]) == epochSeconds(ten))
    #expect(try next([try alert().active((nine, ten))], at: ten) == nil)
    let row = try Alert("row", .init(routeID: "route-1")).active((nine, ten))
    let elsewhere = try Alert("x", .init(stopID: "8501576")).active((nine, ten))
    #expect(try next([row]) == epochSeconds(nine))
    #expect(try next([elsewhere]) == nil)
    #expect(try next([try alert().active(("", ten)), row]) == epochSeconds(nine))
  }

  // MARK: §5.5

  @Test func `§5.5 attachment: banners once, rows what concerns them, the expired nowhere`() throws
  {
    let expired = try Alert("expired", .init(stopID: "8501120"))
      .active(("", "2026-02-24T06:00:00Z"))
    let alerts = [
      Alert("child", .init(stopID: "8501120:0:1")),
      Alert("parent", .init(stopID: "Parent8501120")),
      Alert("sloid", .init(stopID: "ch:1:sloid:1120")),
      Alert(
        "dedup",
        .init(stopID: "8501120:0:1"),
        .init(stopID: "8501120"),
        .init(stopID: "8501120")
      ),
      Alert("route+stop", .init(routeID: "route-1", stopID: "8501120:0:1")),
      Alert("ev", .init(stopID: "8501120"), .init(trip: .init(tripID: "bus1"))),
      Alert("dep-dedup", .init(routeID: "route-1"), .init(trip: .init(tripID: "bus1"))),
      Alert("route", .init(routeID: "route-1")),
      Alert("trip", .init(trip: .init(tripID: "bus2"))),
      expired,
    ]
    #expect(
      try stage.board(alerts) == [
        "banners": ["child", "dedup", "ev", "parent", "sloid"],
        "bus1": ["dep-dedup", "route", "route+stop"],
        "back1": ["dep-dedup", "route"],
        "bus2": ["trip"],
      ]
    )
  }

  @Test func `§5.5 route alert without a stop: on its rows, no banner`() throws {
    #expect(try stage.board([Alert("a", .init(routeID: "route-2"))]) == ["bus2": ["a"]])
  }

  @Test func `§5.5 prose: "hält nicht" and "does not stop" change no departure`() throws {
    let rows = try stage.rows()
    let prose = [
      Alert("stop", .init(stopID: "8501120")).with {
        $0.header = TranslatedText([.init(text: "Der Bus hält nicht", language: "de")])
        $0.effect = .noService
      },
      Alert("route", .init(routeID: "route-1", stopID: "8501120")).with {
        $0.header = TranslatedText([.init(text: "Line 1 does not stop", language: "en")])
        $0.effect = .noService
        $0.severity = .severe
      },
    ]
    #expect(
      try stage.board(prose, rows: rows)
        == ["banners": ["stop"], "bus1": ["route"], "back1": ["route"]]
    )
    // A selection reads rows; there is nothing in it that a row could be changed with.
    #expect(rows.allSatisfy { $0.flags.isEmpty && !$0.isCancelled && $0.cancelReason == nil })
  }

  @Test func `§5.5 scope: SLOID 76646 is 8576646, 1576 is not 1120, foo is nothing`() throws {
    #expect(
      try stage.board([Alert("a", .init(stopID: "ch:1:sloid:76646"))], stop: "Parent8576646")
        == ["banners": ["a"]]
    )
    #expect(try stage.board([Alert("a", .init(stopID: "ch:1:sloid:1576"))]) == [:])
    #expect(try stage.board([Alert("a", .init(stopID: "8501120:3"))]) == ["banners": ["a"]])
    #expect(try stage.reason(.init(stopID: "ch:1:foo:bar")) == .unknownStop)
  }

  @Test func `§5.5 scope: platform 1, which the timetable lacks, means the station of platform C`()
    throws
  {
    let rows = try stage.rows("Parent8576391", "2026-02-24T07:50:00Z", "2026-02-24T08:10:00Z")
    #expect(rows.map { stage.trip($0) } == ["bus1"])
    #expect(
      try stage.board(
        [Alert("a", .init(routeID: "route-1", stopID: "8576391:0:1"))],
        stop: "Parent8576391",
        rows: rows
      ) == ["bus1": ["a"]]
    )
  }

  @Test func `§5.5 night-only alert: no banner at noon, a banner at 02:30`() throws {
    let alert = try alert().active(
      ("2026-02-23T23:00:00Z", "2026-02-24T04:00:00Z"),
      ("2026-02-24T23:00:00Z", "2026-02-25T04:00:00Z")
    )
    #expect(try !isShown(alert, at: "2026-02-24T11:00:00Z"))
    #expect(try isShown(alert, at: "2026-02-25T01:30:00Z"))
  }

  // MARK: Order

  @Test func `order is severity, effect, id`() throws {
    func alert(_ id: String, _ severity: AlertSeverity, _ effect: AlertEffect) -> Alert {
      Alert(id, .init(stopID: "8501120")).with {
        $0.severity = severity
        $0.effect = effect
      }
    }
    let alerts = [
      alert("7", .unknown(9), .unknown(99)), alert("6", .unknownSeverity, .noService),
      alert("5", .info, .noService), alert("4", .warning, .detour),
      alert("3", .warning, .significantDelays), alert("2b", .severe, .noService),
      alert("2a", .severe, .noService), alert("8", .severe, .noEffect),
    ]
    #expect(
      try stage.board(alerts) == ["banners": ["2a", "2b", "8", "3", "4", "5", "6", "7"]]
    )
    let onRows = alerts.map { alert in
      alert.with { $0.informedEntities = [.init(routeID: "route-2")] }
    }
    #expect(try stage.board(onRows) == ["bus2": ["2a", "2b", "8", "3", "4", "5", "6", "7"]])
  }

  @Test func `the same id is there once`() throws {
    let alerts = [Alert("a", .init(stopID: "8501120")), Alert("a", .init(routeID: "route-1"))]
    #expect(try stage.board(alerts) == ["banners": ["a"]])
  }

  @Test func `what is too much is left out from the end and counted`() throws {
    let many = (0..<150).map { number in
      Alert("\(number)", .init(stopID: "8501120")).with {
        $0.severity = number == 140 ? .severe : .info
      }
    }
    let rows = (0..<30).map { number in
      Alert("r\(number)", .init(routeID: "route-2", stopID: "8501120"))
    }
    let selection = AlertSelection(
      index: AlertIndex(many + rows, stage.directory),
      stop: try stage.stop("Parent8501120"),
      rows: try stage.rows(),
      now: try epochSeconds("2026-02-24T07:00:00Z"),
      language: nil
    )
    #expect(selection.banners.count == AlertLimits.banners)
    #expect(selection.leftOut == 50 + 10)
    let first = try #require(selection.banners.first)
    #expect(selection.index.alerts[Int(first.alert)].id == "140")
  }

  // MARK: Versions

  @Test func `the version changes with what can be shown and with nothing else`() throws {
    func version(_ alerts: [Alert]) -> UInt64 { AlertIndex(alerts, stage.directory).version }
    let one = Alert("a", .init(stopID: "8501120"))
    let two = Alert("b", .init(routeID: "route-1"))
    let usual = version([one, two])
    #expect(usual == version([two, one]))
    #expect(usual != version([one]))
    #expect(usual != version([one.with { $0.severity = .severe }, two]))
    #expect(usual != version([one.with { $0.header = nil }, two]))
    #expect(usual != version([try one.active(("", "2026-02-24T07:00:00Z")), two]))
    #expect(usual != version([one.with { $0.informedEntities[0].stopID = "8501576" }, two]))
    // The hash does not depend on the run of the program.
    #expect(version([]) == ContentHash().value)
  }

  @Test func `the visible hash is of what the board shows`() throws {
    func hash(_ alerts: [Alert], at instant: String = "2026-02-24T07:00:00Z") throws -> UInt64 {
      let rows = try stage.rows()
      return AlertSelection(
        index: AlertIndex(alerts, stage.directory),
        stop: try stage.stop("Parent8501120"),
        rows: rows,
        now: try epochSeconds(instant),
        language: "de"
      ).visibleHash(rows: rows.count)
    }
    let here = try Alert("a", .init(stopID: "8501120")).active(("", "2026-02-24T08:00:00Z"))
    let there = Alert("b", .init(stopID: "8501576"))
    let usual = try hash([here])
    #expect(usual != 0)
    #expect(try hash([there]) == 0)
    #expect(try hash([here, there]) == usual)
    #expect(try hash([here], at: "2026-02-24T07:30:00Z") == usual)
    #expect(try hash([here], at: "2026-02-24T08:00:00Z") == 0)
    #expect(try hash([here.with { $0.informedEntities = [.init(routeID: "route-1")] }]) != usual)
  }
}
