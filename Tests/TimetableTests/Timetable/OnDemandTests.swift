import GTFS
import Testing
import Timetable

/// Rows of stop_times.txt that are served on demand: set aside, never malformed.
@Suite struct OnDemandTests {
  /// A feed with these rows: trip, time, stop, location_id, location_group_id, sequence, window.
  private func feed(_ rows: [String]) -> TestFeed {
    var feed = TestFeed()
    feed[.stopTimes] =
      [
        "trip_id,arrival_time,departure_time,stop_id,location_id,location_group_id,stop_sequence,"
          + "start_pickup_drop_off_window,end_pickup_drop_off_window"
      ]
      + rows.map { row in
        let parts = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let window = parts[6].isEmpty ? "," : "\(parts[6]),23:00:00"
        return "\(parts[0]),\(parts[1]),\(parts[1])," + parts[2...5].joined(separator: ",") + ","
          + window
      }
    let trips = rows.map { String($0.prefix { $0 != "," }) }
    for trip in Set(trips).sorted() { feed.add(trip, []) }
    return feed
  }

  @Test func `fixed stops serve, and the zones between them are set aside and counted`() throws {
    let imported = try feed([
      "T,08:00:00,A,,,1,", "T,,,zone,,2,08:00:00", "T,,,,group,3,08:00:00",
      // A draft of the rules has zones in stop_id.
      "T,,somewhere,,,4,08:00:00", "T,,C,,,5,", "T,09:00:00,D,,,6,",
      "U,10:00:00,A,,,1,", "U,10:30:00,B,,,2,",
    ]).imported()
    let account = try #require(imported.account(.stopTimes))
    #expect([account.rows, account.onDemand, account.rejected, account.dropped] == [8, 3, 0, 0])
    #expect(imported.report.warningCount == 0)
    try imported.timetable.check()
    #expect(
      try imported.timetable.calls("T") == [
        "1 A 08:00:00 08:00:00", "5 C 08:30:00 08:30:00 ~", "6 D 09:00:00 09:00:00",
      ]
    )
    #expect(imported.report.departures == 3)
  }

  @Test func `a malformed row is one of the rows that a board could show`() throws {
    let onDemand = (1...10).map { "T,,,zone,,\($0),08:00:00" }
    let fixed = ["T,08:00:00,A,,,20,", "T,08:30:00,nowhere,,,21,", "T,09:00:00,B,,,22,"]
    let feed = feed(onDemand + fixed)
    #expect(try feed.failure(maxRejectedShare: 0.3)?.message.contains("1 of 3 rows") == true)
    #expect(try feed.failure(maxRejectedShare: 0.34) == nil)
  }

  @Test func `trips on demand only, and those that go on on demand, are said`() throws {
    let imported = try feed([
      "T,08:00:00,A,,,1,", "T,09:00:00,B,,,2,", "T,,,zone,,3,09:00:00",
      "V,,,zone,,1,08:00:00", "W,,,zone,,1,08:00:00",
    ]).imported()
    #expect(imported.report.trips == 1)
    #expect(
      imported.report.warnings.map { "\($0.line) \($0.reason)" } == [
        "5 trips without a stop that is served at a time, on demand only, left out: 2",
        "4 trips that go on, on demand, after their last stop with a time; boards end them there: 1",
      ]
    )
  }

  @Test func `a feed that is served on demand only is refused with the reason`() throws {
    let failure = try feed(["V,,,zone,,1,08:00:00", "W,,,zone,,1,08:00:00"]).failure()
    #expect(failure?.code == .invalid)
    #expect(failure?.message.contains("2 of its rows are served on demand") == true)
  }
}
