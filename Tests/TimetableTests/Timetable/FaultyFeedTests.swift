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
    feed[.translations] = ["trans,lang,translation", "x,fr,y"]
    feed[.feedInfo] = ["feed_publisher_name,feed_lang"]
    let report = try feed.imported().report
    #expect(report.warnings.contains { $0.file == "translations.txt" })
    #expect(!report.files.contains { $0.file == "translations.txt" })
  }

  // Zones are read for services that name them; OnDemandBoardTests has empty ones.
  @Test(
    arguments: FeedFile.allCases.filter { !$0.isRequired && ![.calendar, .locations].contains($0) }
  )
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
  func `an unknown time zone is refused with its place`(zone: String) throws {
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

  @Test func `agencies in more time zones than any country has are refused`() throws {
    var feed = feed
    let zones = TimeZone.knownTimeZoneIdentifiers.filter {
      $0.hasPrefix("America/") && !$0.contains("Argentina")
    }
    feed[.agency] += zones.prefix(FeedLimits.timeZones - 1).map { "\($0),A,https://x,\($0)" }
    #expect(try feed.failure() == nil)
    feed[.agency].append("last,A,https://x,Asia/Tokyo")
    let failure = try feed.failure()
    #expect(failure?.code == .limitExceeded)
    #expect(failure?.message == "agency.txt, line 34: more than 32 time zones")
  }

  @Test func `a failure early in a large file is a failure, too`() async {
    await #expect(processExitsWith: .success) {
      var feed = TestFeed()
      var rows = Array("agency_id,agency_name,agency_timezone\n".utf8)
      for number in 0..<3_000 { rows += Array("\(number),Freshet,Europe/Zurich\n".utf8) }
      for zone in TimeZone.knownTimeZoneIdentifiers where zone.hasPrefix("America/") {
        rows += Array("\(zone),Other,\(zone)\n".utf8)
      }
      rows += [UInt8](repeating: 0x0A, count: 6 << 20)
      feed.files["agency.txt"] = rows
      let failure = try feed.failure()
      #expect(failure?.code == .limitExceeded)
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
          reason: "not UTF-8; such texts are read as ISO-8859-1: nothing speaks for another one"
        )
      ]
    )
    #expect(imported.report.encoding?.name == "ISO-8859-1")
    #expect(imported.report.encoding?.texts == 1)
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

  /// A feed with Polish names and ids in all files.
  private var polish: TestFeed {
    var feed = TestFeed()
    feed[.agency][1] = "Ł,Koleje Dolnośląskie,https://x.pl,Europe/Warsaw"
    feed[.routes][1] = "Ż,Ł,1,Święta Łąka,3"
    feed[.stops] += [
      "W,\"Wrocław, Główny\",51.1,17.03,,,", "Łąka,Święta Łąka,51.2,17.1,,,",
      "Ź,Źródła,51.3,17.2,,,",
    ]
    feed.add(
      "ść1",
      [.init("W", "08:00:00"), .init("Łąka", "08:10:00"), .init("Ź", "08:20:00")],
      route: "Ż",
      headsign: "Źródła"
    )
    return feed
  }

  @Test(arguments: [
    ("utf-16", ",", "UTF-16LE"), ("utf-16-le", "\t", "UTF-16LE"), ("utf-16-be", ";", "UTF-16BE"),
    ("utf-32", ",", "UTF-32LE"), ("utf-32-be", ";", "UTF-32BE"), ("utf-8", ";", nil),
    ("utf-8-sig", "\t", nil), ("cp1250", ",", nil), ("iso8859-2", ",", nil), ("cp1250", ";", nil),
  ])
  func `a feed in another encoding, and with other separators, is the same timetable`(
    codec: String,
    separator: String,
    encoding: String?
  ) throws {
    let expected = try polish.imported()
    #expect(expected.report.encoding == nil)
    let imported = try polish.written(in: codec, separator: separator).imported()
    #expect(imported.bytes == expected.bytes)
    #expect(imported.report.rejectedRows.isEmpty)
    let names = [";": ";", "\t": "tab"]
    for file in imported.report.files {
      #expect(file.encoding == encoding)
      #expect(file.separator == names[separator])
    }
    let pages = ["cp1250": "windows-1250", "iso8859-2": "ISO-8859-2"]
    #expect(imported.report.encoding?.name == pages[codec])
    #expect(imported.report.warningCount == (pages[codec] == nil ? 0 : 1))
  }

  @Test func `files in UTF-8 and in a code page belong together, and the code page is one`() throws
  {
    let expected = try polish.imported()
    var feed = polish
    let page = try polish.written(in: "cp1250", separator: ",")
    // Too little for the code page to be found in it alone.
    for file in [FeedFile.trips, .stops] { feed.files[file.rawValue] = page.files[file.rawValue] }
    #expect(try feed.imported().bytes == expected.bytes)
  }

  @Test func `an encoding that is named is used for all that shows no other`() throws {
    let feed = try polish.written(in: "iso8859-5-as-cp1251", separator: ",")
    let named = try feed.imported(encoding: TextEncoding(name: "windows-1251"))
    #expect(try named.timetable.name("W") == "Вроцлав")
    #expect(named.report.encoding == nil)
    #expect(named.report.files.allSatisfy { $0.encoding == "windows-1251" })
    let guessed = try feed.imported()
    #expect(guessed.report.encoding?.reason.contains("--encoding") == true)
    let utf8 = try feed.imported(encoding: .utf8)
    #expect(try utf8.timetable.name("W").contains("\u{FFFD}"))
    #expect(utf8.report.warningCount == 1)
  }

  @Test func `coordinates with a comma are read where semicolons separate`() throws {
    var feed = try feed.written(in: "utf-8", separator: ";")
    let stops = String(decoding: feed.files["stops.txt"] ?? [], as: UTF8.self)
    feed.files["stops.txt"] = Array(stops.replacing("47.39;8.05", with: "47,39;8,05").utf8)
    let timetable = try feed.timetable()
    let stop = try #require(timetable.stop(id: "A"))
    #expect(timetable.coordinate(of: stop)?.latitude == 47.39)
    #expect(timetable.coordinate(of: stop)?.longitude == 8.05)
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
