import GTFS
import Timetable

/// A small feed as texts, to be imported from a folder of its own.
///
/// It begins with one agency in Europe/Zurich, the stops A to E, the route R and the services
/// `daily` (June 2026) and `weekdays` (Monday to Friday in June 2026), and no trips.
struct TestFeed {
  /// The files by name, as bytes.
  var files: [String: [UInt8]] = [:]

  init() {
    self[.agency] = [
      "agency_id,agency_name,agency_url,agency_timezone", "F,Freshet,https://x.ch,Europe/Zurich",
    ]
    self[.stops] = [
      "stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code",
      "A,Aarau,47.39,8.05,,,", "B,Bern,46.95,7.44,,,", "C,Chur,46.85,9.53,,,",
      "D,Davos,46.80,9.83,,,", "E,Emmen,47.08,8.30,,,",
    ]
    self[.routes] = [
      "route_id,agency_id,route_short_name,route_long_name,route_type", "R,F,1,,3",
    ]
    self[.calendar] = [
      "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date",
      "daily,1,1,1,1,1,1,1,20260601,20260630", "weekdays,1,1,1,1,1,0,0,20260601,20260630",
    ]
    self[.trips] = ["route_id,service_id,trip_id,trip_headsign,trip_short_name,direction_id"]
    self[.stopTimes] = [
      "trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type,"
        + "stop_headsign"
    ]
  }

  /// The lines of a file; none takes the file away.
  subscript(file: FeedFile) -> [String] {
    get {
      String(decoding: files[file.rawValue] ?? [], as: UTF8.self).split(separator: "\n")
        .map(String.init)
    }
    set {
      files[file.rawValue] =
        newValue.isEmpty ? nil : newValue.flatMap { Array($0.utf8) + [0x0A] }
    }
  }

  /// A stop of a trip.
  struct Call {
    var stop: String
    var arrival: String
    var departure: String
    var pickup = ""
    var dropOff = ""
    var headsign = ""
    var sequence: Int?

    /// The departure is the arrival unless given.
    init(
      _ stop: String,
      _ arrival: String,
      _ departure: String? = nil,
      pickup: String = "",
      dropOff: String = "",
      headsign: String = "",
      sequence: Int? = nil
    ) {
      self.stop = stop
      self.arrival = arrival
      self.departure = departure ?? arrival
      self.pickup = pickup
      self.dropOff = dropOff
      self.headsign = headsign
      self.sequence = sequence
    }
  }

  /// Adds a trip and its stop times, numbered from 1 unless they say otherwise.
  mutating func add(
    _ trip: String,
    _ calls: [Call],
    service: String = "daily",
    route: String = "R",
    headsign: String = ""
  ) {
    self[.trips].append("\(route),\(service),\(trip),\(headsign),,")
    self[.stopTimes] += calls.enumerated().map { index, call in
      "\(trip),\(call.arrival),\(call.departure),\(call.stop),\(call.sequence ?? index + 1),"
        + "\(call.pickup),\(call.dropOff),\(call.headsign)"
    }
  }

  /// Writes the feed into a folder of its own and imports it.
  func imported(
    maxRejectedShare: Double? = nil,
    encoding: TextEncoding? = nil,
    asArchive: Bool = false,
    now: Double = 1_780_000_000
  ) throws -> ImportedFeed {
    try ImportedFeed(
      self,
      maxRejectedShare: maxRejectedShare,
      encoding: encoding,
      asArchive: asArchive,
      now: now
    )
  }

  /// The feed as Python writes it in an encoding and with a separator.
  func written(in codec: String, separator: String) throws -> TestFeed {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    for (name, bytes) in files { try folder.write(bytes, to: "feed/\(name)") }
    let program = """
      import csv, pathlib, sys
      codec, separator = sys.argv[1:]
      for path in pathlib.Path("feed").iterdir():
          with path.open(encoding="utf-8", newline="") as file:
              rows = list(csv.reader(file))
          if codec == "iso8859-5-as-cp1251":
              rows = [["Вроцлав" if "Wroc" in field else field.encode("ascii", "replace").decode() for field in row] for row in rows]
          with path.open("w", encoding="cp1251" if "-as-" in codec else codec, newline="") as file:
              csv.writer(file, delimiter=separator, lineterminator="\\r\\n").writerows(rows)
      """
    try folder.run("python3", ["-c", program, codec, separator])
    var feed = self
    for name in files.keys { feed.files[name] = try folder.read("feed/\(name)") }
    return feed
  }

  /// The timetable of the feed, proved to be sound.
  func timetable() throws -> Timetable {
    let timetable = try imported().timetable
    try timetable.check()
    return timetable
  }

  /// Why the feed cannot be imported; `nil` if it can.
  func failure(maxRejectedShare: Double? = nil) throws -> FeedError? {
    do {
      _ = try imported(maxRejectedShare: maxRejectedShare)
      return nil
    } catch let error as FeedError {
      return error
    }
  }
}

/// A feed's timetable, its file's bytes and the report of its import.
///
/// The folder of the import is already gone: a mapped file lives on without its name.
struct ImportedFeed {
  let timetable: Timetable
  /// The timetable file.
  let bytes: [UInt8]
  let report: ImportReport

  fileprivate init(
    _ feed: TestFeed,
    maxRejectedShare: Double?,
    encoding: TextEncoding?,
    asArchive: Bool,
    now: Double
  ) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    for (name, bytes) in feed.files { try folder.write(bytes, to: "feed/\(name)") }
    if asArchive { try folder.run("python3", ["-m", "zipfile", "-c", "feed.zip", "feed/"]) }
    let path = folder.path + "/timetable"
    report = try FeedImport.run(
      path: folder.path + (asArchive ? "/feed.zip" : "/feed"),
      prefix: nil,
      target: path,
      now: now,
      limit: maxRejectedShare.map { RejectedRowLimit(share: $0) } ?? .usual,
      encoding: encoding
    )
    bytes = try folder.read("timetable")
    timetable = try Timetable(path: path)
  }

  /// What became of a file of the feed.
  func account(_ file: FeedFile) -> ImportReport.File? {
    report.files.first { $0.file == file.rawValue }
  }
}
