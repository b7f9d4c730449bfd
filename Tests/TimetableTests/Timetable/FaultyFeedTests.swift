import Foundation
import GTFS
import Testing
import Timetable

/// What a feed as a whole can lack.
@Suite struct FaultyFeedTests {
  private var feed: TestFeed {
    var feed = TestFeed()
    feed.add("T", [.init("A", "08:00:00"), .init("B", "08:10:00")])
    return feed
  }

  @Test(arguments: FeedFile.allCases.filter(\.isRequired))
  func `a missing file is named`(file: FeedFile) throws {
    var feed = feed
    feed[file] = []
    let failure = try feed.failure()
    #expect(failure?.code == .missingFile)
    #expect(failure?.message.hasSuffix("\(file.rawValue) is missing") == true)
  }

  @Test func `one of the two calendar files is enough and none is not`() throws {
    var feed = feed
    feed[.calendarDates] = ["service_id,date,exception_type", "daily,20260615,1"]
    #expect(try feed.failure() == nil)
    feed[.calendar] = []
    #expect(try feed.failure() == nil)
    feed[.calendarDates] = []
    let failure = try feed.failure()
    #expect(failure?.code == .missingFile)
    #expect(
      failure?.message.hasSuffix("calendar.txt and calendar_dates.txt are both missing") == true
    )
  }

  @Test(arguments: [
    (FeedFile.agency, "agency_name"), (.agency, "agency_timezone"), (.stops, "stop_id"),
    (.routes, "route_id"), (.routes, "route_type"), (.trips, "trip_id"), (.trips, "route_id"),
    (.trips, "service_id"), (.stopTimes, "trip_id"), (.stopTimes, "stop_id"),
    (.stopTimes, "stop_sequence"), (.stopTimes, "arrival_time"), (.stopTimes, "departure_time"),
    (.calendar, "service_id"), (.calendar, "saturday"), (.calendar, "start_date"),
    (.calendar, "end_date"), (.calendarDates, "service_id"), (.calendarDates, "date"),
    (.calendarDates, "exception_type"), (.frequencies, "trip_id"), (.frequencies, "start_time"),
    (.frequencies, "end_time"), (.frequencies, "headway_secs"),
  ])
  func `a missing column is named`(file: FeedFile, column: String) throws {
    var feed = feed
    feed[.calendarDates] = ["service_id,date,exception_type"]
    feed[.frequencies] = ["trip_id,start_time,end_time,headway_secs"]
    #expect(try feed.failure() == nil)
    feed[file][0] = feed[file][0].split(separator: ",").map { $0 == column ? "x" : $0 }.joined(
      separator: ","
    )
    #expect(
      try feed.failure()
        == FeedError(.missingColumn, "\(file.rawValue): the required column \(column) is missing")
    )
  }

  @Test func `a file that no board needs is left out if it cannot be read`() throws {
    var feed = feed
    feed[.translations] = ["trans_id,lang,translation", "x,fr,y"]
    feed[.feedInfo] = ["feed_publisher_name,feed_lang"]
    let report = try feed.imported().report
    #expect(report.warnings.contains { $0.file == "translations.txt" })
    #expect(!report.files.contains { $0.file == "translations.txt" })
  }

  @Test(arguments: FeedFile.allCases.filter { !$0.isRequired && $0 != .calendar })
  func `an optional file that is empty is as good as none`(file: FeedFile) throws {
    var feed = feed
    feed.files[file.rawValue] = Array("\n\n".utf8)
    let report = try feed.imported().report
    #expect(report.warnings.contains { $0.file == file.rawValue })
  }

  @Test(arguments: FeedFile.allCases.filter(\.isRequired))
  func `an empty file is refused`(file: FeedFile) throws {
    var feed = feed
    feed.files[file.rawValue] = Array("\n\n".utf8)
    let failure = try feed.failure()
    #expect(failure?.code == .emptyFile)
    #expect(failure?.message.hasPrefix(file.rawValue) == true)
  }

  @Test(arguments: ["", "Europe/Zuerich", "zurich", "Europe"])
  func `an unknown time zone is refused where it stands`(zone: String) throws {
    var feed = feed
    feed[.agency][1] = "F,Freshet,https://x.ch,\(zone)"
    #expect(
      try feed.failure()
        == FeedError(
          .unknownTimeZone,
          "agency.txt, line 2, column agency_timezone: \"\(zone)\" is not a time zone"
        )
    )
  }

  @Test func `an agency whose time zone is not one has that of the others`() throws {
    var feed = feed
    feed[.agency].insert("G,Other,https://y.fr,Europe/Zuerich", at: 1)
    let imported = try feed.imported()
    #expect(imported.report.timeZone == "Europe/Zurich")
    #expect(imported.report.warnings.map(\.line) == [2])
    #expect(imported.timetable.metadata.timeZone == "Europe/Zurich")
  }

  @Test func `agencies in different time zones are refused`() throws {
    var feed = feed
    feed[.agency].append("G,Other,https://y.fr,Europe/Zurich")
    #expect(try feed.failure() == nil)
    feed[.agency].append("H,Third,https://y.fr,Europe/Paris")
    let failure = try feed.failure()
    #expect(failure?.code == .invalid)
    #expect(
      failure?.message.hasPrefix("agency.txt, line 4, column agency_timezone: \"Europe/Paris\"")
        == true
    )
  }

  @Test func `a failure early in a large file is a failure, too`() async {
    await #expect(processExitsWith: .success) {
      var feed = TestFeed()
      var rows = Array("agency_id,agency_name,agency_timezone\n".utf8)
      for number in 0..<3_000 { rows += Array("\(number),Freshet,Europe/Zurich\n".utf8) }
      rows += Array("x,Other,Europe/Paris\n".utf8)
      rows += [UInt8](repeating: 0x0A, count: 6 << 20)
      feed.files["agency.txt"] = rows
      let failure = try feed.failure()
      #expect(failure?.code == .invalid)
    }
  }

  @Test func `a feed without an agency is refused`() throws {
    var feed = feed
    feed[.agency].removeLast()
    #expect(try feed.failure() == FeedError(.invalid, "agency.txt: there is no agency"))
  }

  @Test func `a feed without departures is refused, it would empty every board`() throws {
    let failure = try TestFeed().failure()
    #expect(failure?.code == .invalid)
    #expect(failure?.message.contains("no departure") == true)
  }

  @Test func `bytes that are not UTF-8 are read as ISO 8859-1 with a warning`() throws {
    var feed = feed
    feed.files["stops.txt"] = try #require(
      feed[.stops].map { $0 + "\n" }.joined().replacing("Aarau", with: "Zürich").data(
        using: .isoLatin1
      )
    )
    .map(\.self)
    let imported = try feed.imported()
    #expect(try imported.timetable.name("A") == "Zürich")
    #expect(
      imported.report.warnings == [
        RejectedRow(
          file: "stops.txt",
          line: 2,
          column: "stop_name",
          reason: "not UTF-8; read as ISO 8859-1"
        )
      ]
    )
    #expect(imported.report.warningCount == 1)
    #expect(imported.report.rejectedRows.isEmpty)
  }

  @Test func `stops and trips whose ids are not UTF-8 are found by the repaired id`() throws {
    var feed = TestFeed()
    feed[.stops].append("Zürich,Z,47,8,,,")
    feed.add("Fahrt-ö", [.init("Zürich", "08:00:00"), .init("B", "08:10:00")])
    for (name, bytes) in feed.files {
      feed.files[name] = try #require(
        String(decoding: bytes, as: UTF8.self).data(using: .isoLatin1)
      )
      .map(\.self)
    }
    let timetable = try feed.timetable()
    #expect(
      try timetable.board("Zürich", "2026-06-15T00:00:00Z", "2026-06-16T00:00:00Z") == [
        "2026-06-15T06:00:00Z Zürich Fahrt-ö#1"
      ]
    )
    #expect(timetable.trips(id: "Fahrt-ö").count == 1)
  }

  @Test func `stop ids in both encodings stay in order`() throws {
    var feed = feed
    feed[.stops].append("Zê,UTF-8,47,8,,,")
    feed.files["stops.txt"]? += Array("Z".utf8) + [0xE9] + Array(",Latin,47,8,,,\n".utf8)
    let timetable = try feed.timetable()
    #expect(try timetable.name("Zê") == "UTF-8")
    #expect(try timetable.name("Zé") == "Latin")
  }

  @Test func `a target that exists is left alone`() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    for (name, bytes) in feed.files { try folder.write(bytes, to: "feed/\(name)") }
    let target = try folder.write(Array("mine".utf8), to: "timetable")
    let error = #expect(throws: FeedError.self) {
      try FeedImport.run(path: folder.path + "/feed", prefix: nil, target: target, now: 0)
    }
    #expect(error?.code == .cannotWrite)
    #expect(try folder.read("timetable") == Array("mine".utf8))
    let nowhere = #expect(throws: FeedError.self) {
      try FeedImport.run(
        path: folder.path + "/feed",
        prefix: nil,
        target: folder.path + "/none/timetable",
        now: 0
      )
    }
    #expect(nowhere?.code == .cannotWrite)
  }

  @Test func `the report counts what was read and written`() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var feed = feed
    feed[.transfers] = ["from_stop_id,to_stop_id,transfer_type", "A,B,0", "A,nowhere,0"]
    for (name, bytes) in feed.files { try folder.write(bytes, to: "feed/\(name)") }
    var steps: [String] = []
    let report = try FeedImport.run(
      path: folder.path + "/feed",
      prefix: "x",
      target: folder.path + "/timetable",
      now: 0
    ) { steps.append($0.step) }
    #expect(
      steps == [
        "agency.txt", "stops.txt", "routes.txt", "calendar.txt", "trips.txt", "stop_times.txt",
        "transfers.txt", "index", "write",
      ]
    )
    #expect(report.prefix == "x")
    #expect(report.files.map(\.rows) == [1, 5, 1, 2, 1, 2, 2])
    #expect(report.files.map(\.bytes) == report.files.map { feed.files[$0.file]?.count ?? 0 })
    #expect(report.stops == 5)
    #expect(report.routes == 1)
    #expect(report.trips == 1)
    #expect(report.patterns == 1)
    #expect(report.departures == 1)
    #expect(report.timeZone == "Europe/Zurich")
    #expect(report.timetableBytes == (try folder.read("timetable").count))
    #expect(report.warnings.map(\.line) == [3])
    #expect(report.warnings.first?.column == "to_stop_id")
  }
}
