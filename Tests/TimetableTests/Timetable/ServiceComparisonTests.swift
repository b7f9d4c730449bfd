import GTFS
import Testing
import Timetable

/// Stations are found again by id, or by name and place, at a cost that does not grow with their namesakes.
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
}
