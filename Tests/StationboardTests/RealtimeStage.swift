import Foundation
import GTFS
import GTFSRealtime
import NIOCore
import Serving
import Testing
import Timetable

@testable import StationboardServer

/// A small timetable, and boards with whatever a feed says of it.
struct RealtimeStage {
  /// A trip of the timetable; its calls are "stop_sequence stop_id time [departure] [no-pickup]".
  struct Trip {
    var id: String
    var calls: [String]
    var route = "R1"
    var service = "daily"
    var headsign = "Somewhere"
    var direction = ""

    init(_ id: String, _ calls: [String], route: String = "R1", service: String = "daily") {
      self.id = id
      self.calls = calls
      self.route = route
      self.service = service
    }
  }

  /// A departure as the contract has it.
  struct Shown: Decodable {
    var key: String
    var tripId: String?
    var routeId: String?
    var stopId: String
    var stopSequence: Int
    var line: String?
    var destination: String?
    var scheduledDeparture: String
    var certainty: String?
    var uncertaintySec: Int?
    var boarding: String?
    var tripShortName: String?
    var headwaySec: Int?
    var skippedStops: [String]
    var endsAt: String?
    var continuesAs: [ShownContinuation]
    var realtimeDeparture: String?
    var delayMin: Int?
    var platform: String?
    var platformChanged: Bool
    var previousPlatform: String?
    var cancelled: Bool
    var cancelReasonCode: String?
    var replacementType: String?
    var status: String
    var flags: [String]
    var stopEvent: String?
    var rawDelaySec: Int?
    var rawDelayMin: Int?
    var displayedDelayMin: Int?
    var serviceDate: String
    var startTime: String?
    var realtimeAt: String?
    var realtimeFreshness: String?
    var predictionUncertaintySec: Int?
    var occupancy: String?
    var vehicle: ShownVehicle?
  }

  /// A trip that the vehicle runs next, as the contract has it.
  struct ShownContinuation: Decodable, Equatable {
    var tripId: String
    var serviceDate: String
    var line: String?
    var destination: String?
    var scheduledDeparture: String
  }

  /// The vehicle of a departure as the contract has it.
  struct ShownVehicle: Decodable, Equatable {
    var status: String?
    var stopName: String?
    var stopsAway: Int?
    var occupancy: String?
    var occupancyPercent: Int?
    var wheelchair: Bool?
    var seenAt: String
  }

  let feed: Feed
  /// Reads times in the zone of the feed; expensive to make.
  private let formatter: DateFormatter

  /// The routes: id, short name, route_type.
  static let routes = """
    route_id,agency_id,route_short_name,route_long_name,route_type
    R1,A,1,,3
    S1,A,S1,,2
    EV1,A,EV1,,700

    """

  /// Imports a timetable.
  ///
  /// - Parameters:
  ///   - trips: The trips; stops come from their calls.
  ///   - stations: The stops below each station, beside stops without one.
  ///   - platforms: platform_code by stop.
  ///   - files: Files to write beside or instead of the usual ones.
  ///   - zone: agency_timezone.
  ///   - prefix: The prefix of all ids.
  ///   - modifiedAt: Last-Modified of the feed, as if it had been downloaded.
  /// - Throws: What the import throws.
  init(
    _ trips: [Trip],
    stations: [String: [String]] = [:],
    platforms: [String: String] = [:],
    files: [String: String] = [:],
    zone: String = "Europe/Zurich",
    prefix: String? = nil,
    modifiedAt: Int64? = nil
  ) throws {
    let path = NSTemporaryDirectory() + "freshet-stage-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    var tables = Self.tables(trips, stations, platforms, zone)
    tables.merge(files) { $1 }
    for (name, text) in tables {
      try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
    }
    let folder = DataFolder(path: path + "/data")
    try SampleFeed.importFeed(from: path, into: folder, prefix: prefix)
    if let modifiedAt {
      var manifest = try folder.manifest()
      manifest.feeds[0].origin = FeedManifest.Origin(digest: "", modifiedAt: modifiedAt)
      try folder.replace(manifest: manifest)
    }
    feed = try #require(try SampleFeed.store(folder).feeds.first)
    formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    let zone: TimeZone = try #require(TimeZone(identifier: zone))
    formatter.timeZone = zone
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
  }

  /// The files of a feed.
  static func tables(
    _ trips: [Trip],
    _ stations: [String: [String]],
    _ platforms: [String: String],
    _ zone: String
  ) -> [String: String] {
    var stopTimes = "trip_id,stop_sequence,stop_id,arrival_time,departure_time,pickup_type\n"
    var seen: [String] = []
    for trip in trips {
      for call in trip.calls {
        let parts = call.split(separator: " ").map(String.init)
        let departure = parts.dropFirst(3).first { $0.contains(":") } ?? parts[2]
        let pickup = parts.contains("no-pickup") ? "1" : "0"
        stopTimes += "\(trip.id),\(parts[0]),\(parts[1]),\(parts[2]),\(departure),\(pickup)\n"
        if !seen.contains(parts[1]) { seen.append(parts[1]) }
      }
    }
    var stops = "stop_id,stop_name,location_type,parent_station,platform_code\n"
    for (station, children) in stations {
      stops += "\(station),Station \(station),1,,\n"
      for child in children {
        stops += "\(child),Station \(station),0,\(station),\(platforms[child] ?? "")\n"
      }
    }
    let below = Set(stations.values.joined())
    for stop in seen where !below.contains(stop) && stations[stop] == nil {
      stops += "\(stop),Stop \(stop),0,,\(platforms[stop] ?? "")\n"
    }
    return [
      "agency.txt": "agency_id,agency_name,agency_url,agency_timezone\nA,Agency,http://a,\(zone)\n",
      "stops.txt": stops,
      "routes.txt": routes,
      "trips.txt": trips.reduce(into: "trip_id,route_id,service_id,trip_headsign,direction_id\n") {
        $0 += "\($1.id),\($1.route),\($1.service),\($1.headsign),\($1.direction)\n"
      },
      "stop_times.txt": stopTimes,
      "calendar.txt": """
      service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
      daily,1,1,1,1,1,1,1,20260101,20261231
      mondays,1,0,0,0,0,0,0,20260101,20261231

      """,
    ]
  }

  /// The instant of a local time, such as `2026-02-16 10:00:00`.
  func at(_ text: String) -> Int64 {
    Int64(formatter.date(from: text)?.timeIntervalSince1970 ?? 0)
  }

  /// The index of a feed.
  func index(
    _ trips: [RealtimeWire.Trip],
    at instant: Int64,
    stamped: Bool = true,
    previous: RealtimeIndex? = nil
  ) throws -> RealtimeIndex {
    let bytes = RealtimeWire.feed(trips, at: stamped ? instant : nil)
    return RealtimeIndex(
      try TripUpdateFeed(protobuf: bytes),
      timetable: feed.timetable,
      arrivedAt: instant,
      previous: previous
    )
  }

  /// The index of vehicle positions.
  func vehicles(
    _ vehicles: [RealtimeWire.Vehicle],
    at instant: Int64,
    trips: RealtimeIndex? = nil
  ) throws -> VehicleIndex {
    VehicleIndex(
      try VehiclePositionFeed(protobuf: RealtimeWire.feed(vehicles: vehicles, at: instant)),
      timetable: feed.timetable,
      arrivedAt: instant,
      trips: trips
    )
  }

  /// A board of a stop.
  func board(
    _ stop: String,
    at now: Int64,
    _ index: RealtimeIndex?,
    _ vehicles: VehicleIndex? = nil,
    window: Int = 210,
    limit: Int = 300
  ) throws -> MergedBoard {
    let resolved = try #require(StopResolver(feeds: [feed]).resolve(stop))
    return MergedBoard(
      request: BoardRequest(stop: resolved, limit: limit, window: window),
      now: Double(now),
      realtime: index,
      vehicles: vehicles
    )
  }

  /// The departures of a board as they are written.
  func shown(_ board: MergedBoard) throws -> [Shown] {
    let writer = DepartureRows(
      feed: feed,
      language: nil,
      realtime: board.realtime,
      vehicles: board.vehicles
    )
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try board.rows.enumerated().map { place, row in
      var json = JSONBytes()
      writer.write(row, at: place, &json)
      return try decoder.decode(Shown.self, from: Data(json.buffer.readableBytesView))
    }
  }

  /// The departures of a stop, with what trip updates published ten minutes before say of them.
  func departures(
    _ stop: String,
    at now: Int64,
    _ trips: [RealtimeWire.Trip],
    window: Int = 210
  ) throws -> [Shown] {
    try shown(board(stop, at: now, try index(trips, at: now), window: window))
  }
}

extension RealtimeWire.Trip {
  /// The same update with stop time updates.
  func with(_ stops: RealtimeWire.Stop...) -> Self {
    var trip = self
    trip.stops = stops
    return trip
  }

  /// The same update changed.
  func with(_ change: (inout Self) -> Void) -> Self {
    var trip = self
    change(&trip)
    return trip
  }
}

extension DepartureRows {
  /// Writes one departure; returns the places of its source times.
  @discardableResult
  func write(_ row: BoardRow, at place: Int, _ json: inout JSONBytes) -> [Range<Int>] {
    var sourceTimes: [Range<Int>] = []
    write(row, at: place, &json, sourceTimes: &sourceTimes)
    return sourceTimes
  }
}
