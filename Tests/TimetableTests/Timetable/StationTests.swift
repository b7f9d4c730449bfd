import GTFS
import Testing
import Timetable

@Suite struct StationTests {
  /// A station with two platforms, one of which has two boarding areas, and an entrance.
  private var feed: TestFeed {
    var feed = TestFeed()
    feed[.stops] += [
      "S1a,Sion sector A,46.2,7.3,4,S1,", "S1,Sion,46.2,7.3,0,S,1", "S,Sion,46.2,7.3,1,,",
      "S2,,46.2,7.3,0,S,2", "SE,Sion entrance,46.2,7.3,2,S,",
    ]
    for (hour, stop) in ["S", "S1", "S1a", "S2"].enumerated() {
      feed.add("T\(stop)", [.init(stop, "0\(hour + 6):00:00"), .init("B", "20:00:00")])
    }
    return feed
  }

  private func trips(_ stop: String, _ timetable: Timetable) throws -> [String] {
    try timetable.board(stop, "2026-06-15T00:00:00Z", "2026-06-15T17:00:00Z")
      .map { String($0.split(separator: " ")[2].dropLast(2)) }
  }

  @Test func `a station means itself and all stops below it`() throws {
    let timetable = try feed.timetable()
    #expect(try trips("S", timetable) == ["TS", "TS1", "TS1a", "TS2"])
    #expect(try trips("S1", timetable) == ["TS1", "TS1a"])
    #expect(try trips("S1a", timetable) == ["TS1a"])
    #expect(try trips("S2", timetable) == ["TS2"])
    #expect(try trips("SE", timetable).isEmpty)
    #expect(timetable.departureCount(of: try #require(timetable.stop(id: "S"))) == 4)
  }

  @Test func `every stop knows its parent and its station`() throws {
    let timetable = try feed.timetable()
    func number(_ id: String) throws -> Timetable.Stop { try #require(timetable.stop(id: id)) }
    #expect(timetable.parent(of: try number("S1a")) == (try number("S1")))
    #expect(timetable.station(of: try number("S1a")) == (try number("S")))
    #expect(timetable.station(of: try number("S")) == (try number("S")))
    #expect(timetable.parent(of: try number("S")) == nil)
    #expect(timetable.locationType(of: try number("S")) == 1)
    #expect(timetable.locationType(of: try number("SE")) == 2)
    #expect(timetable.stop(id: "nowhere") == nil)
    #expect(timetable.stop(id: "") == nil)
  }

  @Test func `a stop without a name is called like its parent, or its id`() throws {
    var feed = feed
    #expect(try feed.imported().report.namelessStations == nil)
    // An entrance has no board, and S2 the name of its station.
    feed[.stops] += ["N,,46.2,7.3,,,", "O,\" \",46.2,7.3,,,", "P,,46.2,7.3,2,,"]
    let timetable = try feed.timetable()
    #expect(try timetable.name("S2") == "Sion")
    #expect(try timetable.name("N") == "N")
    #expect(try timetable.name("O") == "O")
    let nameless = try #require(try feed.imported().report.namelessStations)
    #expect(nameless.names == ["N", "O"])
    #expect(nameless.count == 2)
  }

  @Test func `coordinates, codes and zones are those of the feed`() throws {
    var feed = TestFeed()
    feed[.stops] = [
      "stop_id,stop_name,stop_lat,stop_lon,stop_code,stop_timezone",
      "A,Aarau,47.3912345,-8.05,a1,Europe/Paris", "B,Bern,,,,", "C,Chur,91,9,,", "D,Davos,x,9,,",
      "E,Emmen,90,180,,",
    ]
    feed.add("T", [.init("A", "10:00:00"), .init("B", "10:20:00")])
    let imported = try feed.imported()
    let timetable = imported.timetable
    let stop = try #require(timetable.stop(id: "A"))
    #expect(timetable.coordinate(of: stop)?.latitude == 47.3912345)
    #expect(timetable.coordinate(of: stop)?.longitude == -8.05)
    #expect(timetable.text(timetable.code(of: stop)) == "a1")
    #expect(timetable.text(timetable.zoneName(of: stop)) == "Europe/Paris")
    for id in ["B", "C", "D"] {
      #expect(timetable.coordinate(of: try #require(timetable.stop(id: id))) == nil)
    }
    #expect(timetable.coordinate(of: try #require(timetable.stop(id: "E")))?.longitude == 180)
    #expect(imported.report.warnings.map(\.line) == [3, 4, 5])
  }

  @Test func `parents in a circle are cut and everything else is kept`() throws {
    var feed = TestFeed()
    feed[.stops] += [
      "X,X,46.2,7.3,,Y,", "Y,Y,46.2,7.3,,X,", "Z,Z,46.2,7.3,,Z,", "W,W,46.2,7.3,,X,",
      "O,O,46.2,7.3,,nobody,",
    ]
    for stop in ["X", "Y", "Z", "W", "O"] {
      feed.add("T\(stop)", [.init(stop, "08:00:00"), .init("B", "20:00:00")])
    }
    let imported = try feed.imported()
    let timetable = imported.timetable
    try timetable.check()
    for stop in ["X", "Y", "Z", "W", "O"] {
      #expect(try trips(stop, timetable).contains("T\(stop)"))
    }
    #expect(imported.report.warnings.allSatisfy { $0.column == "parent_station" })
    #expect(
      imported.report.warnings.first { $0.line == 11 }?.reason
        == "parent_station \"nobody\" is not a stop"
    )
    #expect(imported.report.warnings.contains { $0.line == 9 && $0.reason.contains("circle") })
    #expect(imported.report.warningCount == imported.report.warnings.count)
  }

  @Test func `platforms come from platform_code or from the Swiss id`() throws {
    var feed = TestFeed()
    feed[.stops] += [
      "8501120:0:3,L,46.5,6.6,,,", "8501120:0:4,L,46.5,6.6,,,4A", "8501120:0:7AB,L,46.5,6.6,,,",
      "8501120,L,46.5,6.6,,,", "8501120:x:3,L,46.5,6.6,,,", "850112:0:3,L,46.5,6.6,,,",
      "8501120::3,L,46.5,6.6,,,", "8501120:0:,L,46.5,6.6,,,",
    ]
    feed.add("T", [.init("A", "08:00:00"), .init("B", "20:00:00")])
    let timetable = try feed.timetable()
    func platform(_ id: String) throws -> String? {
      timetable.platform(of: try #require(timetable.stop(id: id)))
    }
    #expect(try platform("8501120:0:3") == "3")
    #expect(try platform("8501120:0:4") == "4A")
    #expect(try platform("8501120:0:7AB") == "7AB")
    for id in ["8501120", "8501120:x:3", "850112:0:3", "8501120::3", "8501120:0:", "A"] {
      #expect(try platform(id) == nil)
    }
  }

  @Test func `stops are found by their original id`() throws {
    var feed = TestFeed()
    feed[.stops] = [
      "stop_id,stop_name,stop_lat,stop_lon,original_stop_id", "A,Aarau,47,8,ch:1:sloid:2113",
      "B,Bern,47,8,", "C,Chur,47,8,ch:1:sloid:9000", "D,Davos,47,8,ch:1:sloid:10", "E,Emmen,47,8,",
    ]
    feed.add("T", [.init("A", "08:00:00"), .init("B", "20:00:00")])
    let timetable = try feed.timetable()
    #expect(timetable.stop(originalId: "ch:1:sloid:2113") == timetable.stop(id: "A"))
    #expect(timetable.stop(originalId: "ch:1:sloid:9000") == timetable.stop(id: "C"))
    #expect(timetable.stop(originalId: "ch:1:sloid:10") == timetable.stop(id: "D"))
    #expect(timetable.stop(originalId: "ch:1:sloid:1") == nil)
    #expect(timetable.stop(originalId: "") == nil)
    #expect(timetable.stop(originalId: "A") == nil)
  }
}
