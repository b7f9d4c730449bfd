import GTFS
import Testing

@testable import Timetable

/// How much is kept of a feed, in proportion to what it is stored in.
@Suite struct FeedBudgetTests {
  @Test func `a feed may keep a floor, and a share of its bytes`() {
    #expect(FeedBudget(stored: 0).bytes == FeedLimits.keptBytes)
    #expect(FeedBudget(stored: 1_000).bytes == FeedLimits.keptBytes + 1_000 * FeedLimits.keptRatio)
    #expect(FeedBudget(stored: .max).bytes == .max)
    #expect(FeedBudget(stored: .max / FeedLimits.keptRatio).bytes == .max)
    #expect(FeedBudget(stored: -1).bytes == FeedLimits.keptBytes)
  }

  @Test func `the error names file, line, and both limits`() throws {
    let budget = FeedBudget(stored: 16_000)
    try budget.check(budget.bytes, file: "stops.txt", line: 1)
    let error = #expect(throws: FeedError.self) {
      try budget.check(budget.bytes + 1, file: "stops.txt", line: 41)
    }
    #expect(error?.code == .limitExceeded)
    let message = error?.message ?? ""
    #expect(message.hasPrefix("stops.txt, line 41: more than \(budget.bytes) bytes would be kept"))
    #expect(message.contains("of this feed of 16000 bytes"))
  }

  /// What every table takes is counted: none of them grows for nothing.
  @Test func `every row adds to what is kept`() {
    var tables = FeedTables()
    var before = tables.keptBytes
    func grows(_ what: String, _ change: (inout FeedTables) -> Void) {
      change(&tables)
      let after = tables.keptBytes
      #expect(after > before, "\(what)")
      before = after
    }
    grows("texts") { _ = $0.texts.intern("a text") }
    grows("ids of stops") { _ = $0.stopIds.intern("s") }
    grows("ids of routes") { _ = $0.routeIds.intern("r") }
    grows("ids of agencies") { _ = $0.agencyIds.intern("a") }
    grows("ids of services") { _ = $0.serviceIds.intern("d") }
    grows("ids of trips") { _ = $0.trips.ids.intern("t") }
    grows("trips") { $0.trips.states.append(.waiting) }
    grows("agencies") { $0.agencies.append(AgencyRecord(id: 0, name: 0)) }
    grows("services") { $0.services.append(ServiceDays()) }
    grows("exceptions") { $0.exceptionCount += 1 }
    grows("runs") { $0.runCount += 1 }
    grows("frequencies") { $0.frequencyRowCount += 1 }
    grows("trips with frequencies") { $0.frequencies[0] = [] }
    grows("translations") {
      $0.translations.append(TranslationRecord(field: 0, key: 0, language: 0, text: 0))
    }
    var rows = StopTimeRows()
    for number: UInt32 in 1...2 {
      rows.append(
        StopTimeRow(
          sequence: number,
          stop: 0,
          arrival: 60,
          departure: 60,
          attributes: 0,
          headsign: 0,
          distance: Double(number)
        )
      )
    }
    grows("patterns") { _ = $0.patterns.pattern(of: rows) }
    grows("profiles") { _ = $0.patterns.profile(of: rows, start: 60) }
    grows("distances") { _ = $0.distances.number(of: rows.distances) }
    // Known content costs nothing more.
    _ = tables.patterns.pattern(of: rows)
    _ = tables.patterns.profile(of: rows, start: 60)
    _ = tables.distances.number(of: rows.distances)
    _ = tables.texts.intern("a text")
    #expect(tables.keptBytes == before)
  }
}
