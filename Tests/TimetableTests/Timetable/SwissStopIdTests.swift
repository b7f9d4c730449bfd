import GTFS
import Testing

@testable import Timetable

@Suite struct SwissStopIdTests {
  @Test(arguments: [
    "Parent8501120", "8501120", "8501120P", "8501120:0:3", "Parent8501120:0:3", "8501120:0:3AB",
    "ch:1:sloid:1120", "ch:1:sloid:1120:0:3", "ch:1:sloid:01120", "ch:1:sloid:1120::3",
  ])
  func `all shapes of an id name one station`(id: String) {
    #expect(SwissStopId.stationNumber(id) == 8_501_120)
  }

  @Test func `SLOID numbers of five digits keep them all`() {
    #expect(SwissStopId.stationNumber("ch:1:sloid:76646") == 8_576_646)
    #expect(SwissStopId.stationNumber("8576646") == 8_576_646)
    #expect(SwissStopId.stationNumber("ch:1:sloid:7") == 8_500_007)
  }

  @Test(arguments: [
    "", "ch:1:foo:bar", "ch:1:sloid:", "ch:1:sloid:x", "ch:1:sloid::0:3", "ch:1:sloid:112x",
    "ch:1:sloid:1234567", "ch:2:sloid:1120", "Parent", "Parent850112", "850112", "85011201",
    "8501120X", "8501120PP", "8501120P:0:3", "8701120", "parent8501120", " 8501120", "8501120 ",
    "A", "٨٥٠١١٢٠",
  ])
  func `other ids name none`(id: String) {
    #expect(SwissStopId.stationNumber(id) == nil)
  }

  private func timetable(_ stops: String...) throws -> Timetable {
    var feed = TestFeed()
    feed[.stops] += stops
    feed.add("T", [.init("A", "08:00:00"), .init("B", "20:00:00")])
    return try feed.timetable()
  }

  @Test(arguments: ["Parent8501120", "8501120P", "ch:1:sloid:1120", "8501120"])
  func `every shape finds the station under whatever id the feed gives it`(own: String) throws {
    let timetable = try timetable(
      "8501120:0:1,Lausanne,46.5,6.6,,\(own),",
      "8501121:0:1,Renens,46.5,6.6,,,",
      "\(own),Lausanne,46.5,6.6,1,,",
      "8501119,Pully,46.5,6.6,,,"
    )
    let station = try #require(timetable.stop(id: own))
    for id in [
      "Parent8501120", "8501120", "8501120P", "8501120:0:9", "ch:1:sloid:1120",
      "ch:1:sloid:1120:0:3",
    ] {
      #expect(timetable.station(swissId: id) == station)
    }
    #expect(timetable.station(swissId: "8501121") == timetable.stop(id: "8501121:0:1"))
    #expect(timetable.station(swissId: "ch:1:sloid:1119") == timetable.stop(id: "8501119"))
    #expect(timetable.station(swissId: "ch:1:sloid:1118") == nil)
    #expect(timetable.station(swissId: "ch:1:foo:bar") == nil)
    #expect(timetable.station(swissId: "8599999") == nil)
  }

  @Test func `a station answers before a lone stop of the same number`() throws {
    let timetable = try timetable(
      "8501120,Lausanne bus,46.5,6.6,,,",
      "Parent8501120,Lausanne,46.5,6.6,1,,"
    )
    #expect(timetable.station(swissId: "8501120") == timetable.stop(id: "Parent8501120"))
  }
}
