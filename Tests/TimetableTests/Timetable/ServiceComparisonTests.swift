import Foundation
import GTFS
import Testing
import Timetable

/// Stations are found again by id, or by name and place, at a cost that does not grow with their namesakes; departures are
/// compared by number and time.
@Suite struct ServiceComparisonTests {
  /// A trip from one stop to another, among further stops as they would be in stops.txt.
  private func timetable(_ first: String, _ second: String, stops: [String]) throws -> Timetable {
    var feed = TestFeed()
    feed[.stops] += stops
    feed.add("T", [.init(first, "08:00:00"), .init(second, "09:00:00")])
    return try feed.timetable()
  }

  private func changes(_ before: Timetable, _ after: Timetable) -> ServiceChanges {
    ServiceChanges(from: before, to: after, on: ServiceDate(daysSinceEpoch: 20_620))
  }

  @Test(arguments: [
    // Beside it, across the border of a cell on each side, and at the edge of the distance.
    ("47.0,8.0", "47.0,8.0", true), ("47.0,8.0", "47.0179,8.0", true),
    ("47.0,8.0", "46.9821,8.0", true),
    ("47.0,8.0", "47.0,8.0179", true), ("47.0,8.0", "47.0,7.9821", true),
    ("-33.9,-70.1", "-33.91,-70.09", true),
    ("47.0,8.0", "47.0181,8.0", false), ("47.0,8.0", "47.0127,8.0128", false),
    ("47.0,8.0", "48.0,9.0", false),
    // Without a place the names decide.
    ("47.0,8.0", ",", true), (",", "47.0,8.0", true), (",", ",", true),
  ])
  func `a station with another id is found by its name nearby`(
    place: String,
    other: String,
    isSame: Bool
  ) throws {
    let before = try timetable("old", "B", stops: ["old,Sion,\(place),,,"])
    let far = place == "," ? [] : ["far,Sion,10,10,,,"]
    let after = try timetable("new", "B", stops: far + ["new,Sion,\(other),,,"])
    let lost = changes(before, after)
    #expect(lost.before == 14)
    #expect(lost.lost == (isSame ? 0 : 14))
  }

  @Test func `many stations of one name are compared in time that grows with their number only`()
    throws
  {
    // Each with each would be 6.4 thousand million comparisons.
    func many(_ id: String, _ latitude: Double) -> [String] {
      (0..<80_000).map { "\(id)\($0),Stop,\(latitude),8,,," }
    }
    let before = try timetable("a0", "a1", stops: many("a", 47))
    let after = try timetable("b0", "b1", stops: many("b", 10))
    let clock = ContinuousClock()
    var lost = ServiceChanges(firstDay: 0)
    let took = clock.measure { lost = changes(before, after) }
    #expect(lost.lost == 14)
    #expect(took < .seconds(60))
  }

  // MARK: Times

  /// Departures of line 1 at these times every day, by an agency in a time zone.
  private func timetable(_ times: [String], zone: String = "Europe/Zurich") throws -> Timetable {
    var feed = TestFeed()
    feed[.agency][1] = "F,Freshet,https://x.ch,\(zone)"
    for (number, time) in times.enumerated() {
      feed.add("T\(number)", [.init("A", time), .init("B", "48:00:00")])
    }
    return try feed.timetable()
  }

  /// A change of departures, and how many of them it loses each day.
  struct Change: Sendable {
    var before: [String]
    var after: [String]
    var zone = "Europe/Zurich"
    var lost: Int
    var moved: Int
  }

  @Test(arguments: [
    Change(before: ["08:00:00"], after: ["08:00:00"], zone: "Asia/Tokyo", lost: 1, moved: 1),
    Change(before: ["08:00:00"], after: ["08:00:00"], zone: "Europe/Paris", lost: 0, moved: 0),
    Change(before: ["08:00:00"], after: ["09:00:00"], lost: 1, moved: 1),
    Change(before: ["08:00:00"], after: ["07:00:00"], lost: 1, moved: 1),
    Change(before: ["08:00:00"], after: ["08:10:00"], lost: 0, moved: 0),
    Change(before: ["08:00:00"], after: ["08:54:59"], lost: 0, moved: 0),
    Change(before: ["08:00:00"], after: ["08:55:00"], lost: 1, moved: 1),
    // Clock and zone cancel out: Tokyo is 7 h ahead in June.
    Change(before: ["08:00:00"], after: ["15:00:00"], zone: "Asia/Tokyo", lost: 0, moved: 0),
    Change(before: ["20:00:00"], after: ["27:00:00"], zone: "Asia/Tokyo", lost: 0, moved: 0),
    // The mean decides.
    Change(
      before: ["08:00:00", "09:00:00"],
      after: ["08:00:00", "10:40:00"],
      lost: 0,
      moved: 0
    ),
    Change(
      before: ["08:00:00", "09:00:00"],
      after: ["08:00:00", "10:50:00"],
      lost: 2,
      moved: 2
    ),
    // Another number of departures is judged by the number.
    Change(before: ["08:00:00"], after: ["12:00:00", "13:00:00"], lost: 0, moved: 0),
    Change(before: ["08:00:00", "09:00:00"], after: ["15:00:00"], lost: 1, moved: 0),
    // The same night, of the service day before and of the next one.
    Change(before: ["08:00:00", "24:30:00"], after: ["08:00:00", "00:30:00"], lost: 0, moved: 0),
    Change(before: ["23:58:00"], after: ["24:02:00"], lost: 0, moved: 0),
  ])
  func `as many departures at another time of the day are lost`(change: Change) throws {
    let before = try timetable(change.before)
    let after = try timetable(change.after, zone: change.zone)
    let found = changes(before, after)
    #expect(found.before == 14 * change.before.count)
    #expect(found.lost == 14 * change.lost)
    #expect(found.moved == (change.moved == 0 ? nil : 14 * change.moved))
    #expect(found.lines.map(\.lost) == (change.lost == 0 ? [] : [14 * change.lost]))
    let sentence =
      "\(14 * change.moved) of them leave about an hour or more earlier or later:"
      + " check agency_timezone and the times"
    #expect(found.sentences.contains(sentence) == (change.moved > 0))
  }

  @Test func `the zone is that of the agency of the line`() throws {
    func timetable(_ zone: String) throws -> Timetable {
      var feed = TestFeed()
      feed[.agency].append("G,Other,https://x.ch,\(zone)")
      feed[.routes].append("S,G,2,,3")
      for (trip, route) in [("T", "R"), ("U", "S")] {
        feed.add(trip, [.init("A", "08:00:00"), .init("B", "09:00:00")], route: route)
      }
      return try feed.timetable()
    }
    let found = try changes(timetable("Europe/Zurich"), timetable("Asia/Tokyo"))
    #expect(found.before == 28)
    #expect(found.moved == 14)
    #expect(found.lines.map(\.name) == ["2"])
  }

  @Test func `changes that were written before times were compared are still read`() throws {
    let text = """
      {"firstDay": 10, "before": 100, "after": 90, "lost": 10, "losingLines": 0, "losingStations": 0,
      "lines": [], "stations": []}
      """
    let found = try JSONDecoder().decode(ServiceChanges.self, from: Data(text.utf8))
    #expect(found.lost == 10)
    #expect(found.moved == nil)
    #expect(found.movedSentence == nil)
  }
}
