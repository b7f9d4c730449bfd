import Foundation
import GTFS
import StationboardServer
import Testing

/// A small timetable for long simulations: two lines, a loop and a line by frequencies.txt between eight
/// stations with two platforms each; every day of October 2026, in Europe/Zurich.
enum StormNetwork {
  /// The stations.
  static let stations = (0..<8).map { "S\($0)" }
  /// The platforms of each station.
  static func platforms(of station: String) -> [String] { ["\(station):1", "\(station):2"] }

  /// The data folder with the timetable, imported once.
  static let folder: DataFolder = {
    do {
      return try imported()
    } catch {
      fatalError("the storm network cannot be imported: \(error)")
    }
  }()

  private static func imported() throws -> DataFolder {
    let path = NSTemporaryDirectory() + "freshet-storm-\(UUID().uuidString)"
    return try imported(into: path)
  }

  /// Imports the timetable into a new data folder below a path; another version names another feed.
  static func imported(into path: String, version: String = "1") throws -> DataFolder {
    try write(to: path, version: version)
    let folder = DataFolder(path: path + "/data")
    try SampleFeed.importFeed(from: path, into: folder)
    return folder
  }

  /// Writes the files of the timetable.
  static func write(to path: String, version: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, lines) in files(version) {
      let text = lines.joined(separator: "\n") + "\n"
      try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
    }
  }

  private static func files(_ version: String) -> [String: [String]] {
    var stops = ["stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code"]
    for (number, station) in stations.enumerated() {
      stops.append("\(station),Station \(number),47.\(10 + number),8.1,1,,")
      for (place, platform) in platforms(of: station).enumerated() {
        stops.append("\(platform),Station \(number),47.1,8.1,0,\(station),\(place + 1)")
      }
    }
    let lines = [[0, 1, 2, 3, 4], [2, 3, 5, 6], [3, 5, 7, 3]]
    var routes = ["route_id,agency_id,route_short_name,route_long_name,route_type"]
    var trips = ["route_id,service_id,trip_id,trip_headsign,direction_id"]
    var times = ["trip_id,arrival_time,departure_time,stop_id,stop_sequence"]
    for (line, places) in lines.enumerated() {
      routes.append("R\(line),A,\(line + 1),,\(line == 0 ? 2 : 3)")
      for departure in 0..<74 {
        let trip = "R\(line)-\(departure)"
        // Every 20 minutes from four in the morning to 28:20, so that no hour of the night is empty.
        let start = 14_400 + departure * 1_200 + line * 180
        trips.append("R\(line),daily,\(trip),Station \(places[places.count - 1]),\(departure % 2)")
        for (index, place) in places.enumerated() {
          let arrival = start + index * 300
          let stay = index % 2 == 1 ? 60 : 0
          times.append(
            "\(trip),\(TimeOfDay.text(arrival)),\(TimeOfDay.text(arrival + stay)),"
              + "S\(place):\(1 + departure % 2),\(index * 10 + 1)"
          )
        }
      }
    }
    routes.append("F,A,F,,3")
    trips.append("F,daily,F-1,Station 7,0")
    for (index, place) in [1, 4, 7].enumerated() {
      let time = TimeOfDay.text(21_600 + index * 240)
      times.append("F-1,\(time),\(time),S\(place):2,\(index + 1)")
    }
    return [
      "agency.txt": [
        "agency_id,agency_name,agency_url,agency_timezone", "A,Test,https://x.ch,Europe/Zurich",
      ],
      "calendar.txt": [
        "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date",
        "daily,1,1,1,1,1,1,1,20261001,20261031",
      ],
      "feed_info.txt": [
        "feed_publisher_name,feed_publisher_url,feed_lang,feed_version",
        "Test,https://x.ch,de,\(version)",
      ],
      "frequencies.txt": [
        "trip_id,start_time,end_time,headway_secs,exact_times", "F-1,06:00:00,24:00:00,1800,1",
      ],
      "stops.txt": stops, "routes.txt": routes, "trips.txt": trips, "stop_times.txt": times,
    ]
  }
}
