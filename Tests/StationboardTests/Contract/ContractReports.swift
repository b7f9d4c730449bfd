import ContractSchema
import Foundation
import GTFS
import GTFSRealtime
import StrictJSON

@testable import Serving
@testable import StationboardServer

extension BoardContract {
  private static let instant = "2026-11-29T02:00:00.000Z"
  private static let day = "2026-11-29"

  private mutating func compare(_ value: some Encodable, _ operation: String) throws {
    let value = try ContractDocument.value(of: Array(JSONEncoder().encode(value)))
    comparison.compare(value, answering: operation)
  }

  private static var summaries: [LineSummary] {
    var counts = LineCounts()
    for delay in [-120, 0, 30, 200, 400, 700, 1_000] { counts.delays.add(delay) }
    counts.unpredicted = 1
    return [LineSummary(LineCounts()), LineSummary(counts)]
  }

  private static var lines: [LineEntry] {
    let full = HistoryStore.Line(
      feed: "main",
      route: "R1",
      name: "1",
      agency: "Agency",
      type: 3,
      color: 0xFF0000,
      textColor: 0xFFFFFF
    )
    let short = HistoryStore.Line(feed: "main", route: "R2", name: "", agency: "", type: 3)
    return [
      LineEntry(name: LineName(full, idPrefix: ""), summary: summaries[1]),
      LineEntry(name: LineName(short, idPrefix: ""), summary: summaries[0]),
    ]
  }

  // MARK: History

  mutating func compareHistory() throws {
    typealias Endpoint = HistoryEndpoint
    try compare(
      Endpoint.LinesAnswer(
        from: Self.day,
        to: Self.day,
        basis: Endpoint.basis,
        isCut: false,
        lines: Self.lines
      ),
      "GET /api/history/lines"
    )
    let sources = Self.summaries.map { Endpoint.SourceEntry(source: 1, summary: $0) }
    for line in Self.lines {
      let days = Self.summaries.map {
        Endpoint.DayEntry(day: Self.day, summary: $0, sources: sources)
      }
      try compare(
        Endpoint.LineAnswer(
          name: line.name,
          from: Self.day,
          to: Self.day,
          basis: Endpoint.basis,
          total: line.summary,
          days: days
        ),
        "GET /api/history/lines/{route_id}"
      )
    }
    var point = HistoryPoint()
    point.seconds = 60
    point.least = 1.25
    point.most = 9.25
    point.ageSum = 333
    point.good = 3
    point.bad = 1
    point.matched = 2
    point.unmatched = 1
    point.answers = point.answers.indices.map { $0 < 3 ? $0 + 1 : 0 }
    let kinds = RealtimeSource.Kind.allCases.map(\.rawValue) + ["served", "departures"]
    let series = kinds.map { kind in
      Endpoint.SeriesEntry(
        HistorySubject(feed: "main", kind: kind, number: 1),
        [(0, point), (60, HistoryPoint())]
      )
    }
    try compare(
      Endpoint.PointsAnswer(from: Self.instant, to: Self.instant, step: 60, series: series),
      "GET /api/history/points"
    )
  }

  // MARK: Status

  mutating func compareStatus() throws {
    for isFull in [true, false] {
      try compare(
        StatusReport(
          servedAt: Self.instant,
          version: "1",
          timetables: Self.timetables,
          sources: Self.sources,
          matches: Self.matches,
          today: [
            StatusReport.Today(
              feed: "main",
              day: Self.day,
              total: Self.summaries[1],
              worst: Self.lines,
              missing: Self.lines,
              uncovered: 1
            )
          ],
          history: isFull ? StatusReport.HistoryState(isWritten: true, days: 30) : nil,
          freshSec: 45.5,
          staleSec: 180.5,
          punctualLateMin: 3,
          punctualEarlyMin: 1
        ),
        "GET /api/status"
      )
    }
  }

  private static var timetables: [StatusReport.TimetableEntry] {
    func entry(
      _ shared: StatusReport.SharedState?,
      _ source: TimetableStatus.Source?,
      isFull: Bool
    ) -> StatusReport.TimetableEntry {
      let line = TimetableStatus.Line(
        line: "1",
        before: 2,
        lost: 1,
        goneOn: [day],
        isGone: false
      )
      let losses = TimetableStatus.Losses(
        before: 8,
        lost: 1,
        lostPercent: 12.5,
        losingLines: 1,
        losingStations: 1,
        lines: [line],
        stations: [.init(station: "Lausanne", before: 2, lost: 1, isGone: false)]
      )
      return StatusReport.TimetableEntry(
        feed: "main",
        publisher: isFull ? "Publisher" : nil,
        generation: "g",
        version: isFull ? "1" : nil,
        timezone: "Europe/Zurich",
        importedAt: instant,
        validFrom: day,
        validUntil: day,
        daysLeft: 0,
        stops: 1,
        routes: 1,
        trips: 1,
        departures: 1,
        held: isFull ? FeedManifest.HoldReason.losses.rawValue : nil,
        losses: isFull ? losses : nil,
        waiting: isFull ? "next" : nil,
        waitingFrom: isFull ? day : nil,
        source: source,
        shared: shared
      )
    }
    let sources = TimetableStatus.Source.State.allCases.map { state in
      let at = state == .ok ? instant : nil
      return TimetableStatus.Source(
        state: state,
        checkedAt: at,
        nextCheckAt: at,
        answeredAt: at
      )
    }
    return [entry(nil, nil, isFull: false)]
      + StatusReport.SharedState.allCases.map { entry($0, nil, isFull: true) }
      + sources.map { entry(nil, $0, isFull: true) }
  }

  private static var sources: [StatusReport.SourceEntry] {
    func entry(
      _ kind: RealtimeSource.Kind,
      _ state: StatusReport.SourceEntry.State,
      _ leader: StatusReport.SourceEntry.Leader?
    ) -> StatusReport.SourceEntry {
      let isFull = state == .ok
      return StatusReport.SourceEntry(
        feed: "main",
        kind: kind.rawValue,
        number: 1,
        state: state,
        sourceTime: isFull ? instant : nil,
        fetchedAt: isFull ? instant : nil,
        periodSec: isFull ? 30.5 : nil,
        entities: isFull ? 1 : nil,
        payloadBytes: isFull ? 1 : nil,
        polls: 1,
        pollsFailed: 0,
        lastError: isFull ? "timeout" : nil,
        matched: isFull ? 1 : nil,
        unmatched: isFull ? 0 : nil,
        leader: leader
      )
    }
    return StatusReport.SourceEntry.State.allCases.map { entry(.tripUpdates, $0, nil) }
      + RealtimeSource.Kind.allCases.map { entry($0, .ok, nil) }
      + StatusReport.SourceEntry.Leader.allCases.map { entry(.alerts, .ok, $0) }
  }

  private static var matches: [StatusReport.MatchEntry] {
    MatchReport.Status.allCases.map { status in
      StatusReport.MatchEntry(
        feed: "main",
        status: status.rawValue,
        received: 3,
        matched: 1,
        unmatched: 2,
        added: 0,
        matchedPercent: status == .ok ? nil : 33.3,
        byAffix: 0,
        byStart: 0,
        hint: status == .ok ? nil : "other ids",
        reasons: [StatusReport.Reason(reason: "unknown_trip", count: 2, examples: ["t"])],
        lines: [StatusReport.UnmatchedLine(routeID: "R1", line: "1", matched: 1, unmatched: 2)]
      )
    }
  }

  // MARK: Readiness

  mutating func compareReadiness() throws {
    typealias Answer = HealthService.Answer
    let clients = AdmissionControl.Client(
      network: "192.0.2.1",
      workMilliseconds: 1,
      running: 1,
      waiting: 0
    )
    let dependencies = DependencyReading.State.allCases.map { state in
      HealthService.Dependency(
        name: "timetable",
        state: state,
        since: "2026-11-29T02:00:00Z",
        required: true,
        detail: state == .ok ? nil : "it is slow"
      )
    }
    for status in Answer.Status.allCases {
      for isOperator in [true, false] {
        let answer = Answer(
          ok: status != .notReady,
          status: status,
          dependencies: isOperator ? dependencies : nil,
          clients: isOperator ? [clients] : nil
        )
        try compare(answer, "GET /health/live")
        try compare(answer, "GET /health/ready")
      }
    }
  }
}
