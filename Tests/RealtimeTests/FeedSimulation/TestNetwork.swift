import Foundation
import GTFS
import Timetable

/// A timetable to simulate on: six lines between stations with platforms, night trips past 24:00, a
/// loop, and a line by frequencies.txt; every day of October 2026, in Europe/Zurich.
enum TestNetwork {
  /// 2026-10-20T06:30:00Z, half past eight in Zurich.
  static let morning: Int64 = 1_792_477_800
  /// 2026-10-25T00:30:00Z, in the night in which clocks go back.
  static let clockChange: Int64 = 1_792_888_200
  /// 2026-10-20T22:20:00Z, after midnight in Zurich.
  static let afterMidnight: Int64 = 1_792_534_800

  /// The timetable, imported once.
  static let timetable: Timetable = {
    do {
      return try imported()
    } catch {
      fatalError("the test network cannot be imported: \(error)")
    }
  }()

  private static func imported() throws -> Timetable {
    let folder = NSTemporaryDirectory() + "feed-simulation-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let feed = URL(filePath: folder + "/feed")
    try FileManager.default.createDirectory(at: feed, withIntermediateDirectories: true)
    for (name, lines) in files() {
      let text = lines.joined(separator: "\n") + "\n"
      try Data(text.utf8).write(to: feed.appending(path: name))
    }
    _ = try FeedImport.run(
      path: feed.path,
      prefix: nil,
      target: folder + "/timetable",
      now: 1_790_000_000
    )
    return try Timetable(path: folder + "/timetable")
  }

  private static func files() -> [String: [String]] {
    var stops = ["stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code"]
    for station in 0..<12 {
      stops.append("S\(station),Station \(station),47.\(10 + station),8.1,1,,")
      for platform in 1...3 {
        stops.append(
          "S\(station):\(platform),Station \(station),47.1,8.1,0,S\(station),\(platform)"
        )
      }
    }
    var routes = ["route_id,agency_id,route_short_name,route_long_name,route_type"]
    var trips = ["route_id,service_id,trip_id,trip_headsign,trip_short_name,direction_id"]
    var times = ["trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type"]
    for line in 0..<6 {
      routes.append("R\(line),A,\(line + 1),Line \(line + 1),\(line < 3 ? 2 : 3)")
      for departure in 0..<150 {
        let trip = "R\(line)-\(departure)"
        // Every ten minutes from four in the morning to 28:50, so that no hour of the night is empty.
        let start = 14_400 + departure * 600 + line * 60
        trips.append("R\(line),daily,\(trip),Station \((line + 7) % 12),,\(departure % 2)")
        // The last line is a loop: it begins and ends at the same stop.
        let count = line == 5 ? 7 : 4 + line * 2
        for index in 0..<count {
          let place = line == 5 && index == count - 1 ? 0 : index
          let station = (line + place) % 12
          let arrival = start + index * 240
          let stay = index % 3 == 2 ? 60 : 0
          times.append(
            "\(trip),\(clock(arrival)),\(clock(arrival + stay)),S\(station):\(1 + departure % 3),"
              + "\(index * 10 + 1),\(index == 1 && line == 4 ? 1 : 0)"
          )
        }
      }
    }
    routes.append("F,A,F,Frequent,3")
    trips.append("F,daily,F-1,Station 9,,0")
    for index in 0..<5 {
      let time = clock(21_600 + index * 180)
      times.append("F-1,\(time),\(time),S\(index + 5):2,\(index + 1),0")
    }
    return [
      "agency.txt": [
        "agency_id,agency_name,agency_url,agency_timezone", "A,Test,https://x.ch,Europe/Zurich",
      ],
      "calendar.txt": [
        "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date",
        "daily,1,1,1,1,1,1,1,20261001,20261031",
      ],
      "frequencies.txt": [
        "trip_id,start_time,end_time,headway_secs,exact_times", "F-1,06:00:00,24:00:00,600,1",
      ],
      "stops.txt": stops, "routes.txt": routes, "trips.txt": trips, "stop_times.txt": times,
    ]
  }

  private static func clock(_ seconds: Int) -> String { TimeOfDay.text(seconds) }
}
