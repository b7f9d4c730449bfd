import GTFS
import Timetable

/// A run of a trip with its stops, as timetable and realtime have them together: what views of trips are made of.
package struct TripPassage: Sendable {
  /// A stop of the run.
  package struct Call: Sendable {
    /// stop_id, as it is given out.
    package var stopId: String
    /// stop_id of the station, or of the stop itself if it has none.
    package var stationId: String
    /// The name of the station.
    package var name: String
    /// Degrees north and east; `nil` if the feed gives none.
    package var coordinate: (latitude: Double, longitude: Double)?
    /// The platform of the timetable.
    package var platform: String?
    /// The platform of realtime; `nil` if it says nothing else than the timetable.
    package var realtimePlatform: String?
    /// Instants in seconds since 1970-01-01T00:00:00Z; `nil` at the ends of the run, and where nothing is known.
    package var scheduledArrival: Int64?
    /// See ``scheduledArrival``.
    package var scheduledDeparture: Int64?
    /// See ``scheduledArrival``; `nil` without a prediction.
    package var realtimeArrival: Int64?
    /// See ``realtimeArrival``.
    package var realtimeDeparture: Int64?
    /// Whether the run leaves the stop out.
    package var isSkipped: Bool
  }

  /// trip_id, as it is given out; `nil` for a trip of realtime that has none.
  package var tripId: String?
  /// The line, such as `IC1` or `9`.
  package var line: String
  /// The kind of service, such as `IC`, `S` or `B`.
  package var category: String
  /// What follows the category.
  package var number: String
  /// agency_name.
  package var agency: String
  /// Where it goes, as boards say it.
  package var destination: String?
  /// Seconds that the clocks at the agency are ahead of UTC.
  package var offset: @Sendable (Int64) -> Int
  /// Whether the whole run is canceled.
  package var isCancelled: Bool
  /// The stops, in order.
  package var calls: [Call]
}

extension TripAnswer {
  /// The run as a value.
  var passage: TripPassage {
    let realtime = details
    let extra = realtime?.extra
    let route = extra?.route ?? (extra == nil ? journey.trip.map { timetable.route(of: $0) } : nil)
    let label = route.map { journey.feed.routes[$0] }
    let rule = ServiceDay(zone: journey.trip.map { timetable.zone(of: $0) } ?? timetable.zone)
    return TripPassage(
      tripId: extra?.tripID.map { prefix + $0 }
        ?? journey.trip.map { journey.feed.publicId(timetable.tripId(of: $0)) },
      line: label?.line ?? extra?.routeID ?? "",
      category: label?.category ?? "B",
      number: label?.number ?? extra?.routeID ?? "",
      agency: label?.agency ?? "",
      destination: destination(realtime),
      offset: { rule.offset(at: $0) },
      isCancelled: realtime?.isCancelled ?? false,
      calls: stops(realtime).map { call($0.1, $0.0, realtime) }
    )
  }

  /// The destination of the run; `nil` if neither the feed nor a rule gives one.
  private func destination(_ realtime: TripRealtime?) -> String? {
    if let headsign = realtime?.extra?.headsign ?? realtime?.headsign { return headsign }
    if let last = realtime?.extra?.stops.last(where: { $0.stop != TimetableDirectory.none }) {
      return text(timetable.name(of: timetable.station(of: last.stop), language: language))
    }
    guard let trip = journey.trip else { return nil }
    let destination = timetable.destination(of: trip, at: 0, language: language)
    return destination.count > 0 ? text(destination) : nil
  }

  private func call(_ stop: Stop, _ position: Int, _ realtime: TripRealtime?) -> TripPassage.Call {
    let row = realtime?.row(at: position)
    let station = timetable.station(of: stop.stop)
    let place = timetable.coordinate(of: stop.stop) ?? timetable.coordinate(of: station)
    let isGone = row?.flags.contains(.cancelled) ?? false
    var platform: String?
    switch row.flatMap({ snapshot.index?.platform(of: $0) }) ?? .usual {
    case .usual: break
    case .stop(let other): platform = timetable.platform(of: other)
    case .named(let name): platform = name
    }
    return TripPassage.Call(
      stopId: journey.feed.publicId(timetable.id(of: stop.stop)),
      stationId: journey.feed.publicId(timetable.id(of: station)),
      name: text(timetable.name(of: station, language: language)),
      coordinate: place,
      platform: timetable.platform(of: stop.stop),
      realtimePlatform: platform,
      scheduledArrival: stop.scheduledArrival,
      scheduledDeparture: stop.scheduledDeparture,
      realtimeArrival: realtime?.arrival(at: position),
      realtimeDeparture: isGone ? nil : row?.predicted,
      isSkipped: realtime?.isSkipped(at: position) ?? false
    )
  }

  private func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
