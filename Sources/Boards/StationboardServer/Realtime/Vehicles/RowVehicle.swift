import GTFSRealtime
import Timetable

/// What the vehicle of a row says of it.
struct RowVehicle: Hashable, Sendable {
  /// The vehicle.
  var vehicle: VehicleIndex.Vehicle
  /// The place of its current stop among those of the trip; `nil` if that is not known.
  var place: Int?

  /// Reads the vehicle of a row; `nil` if none is known, if boarding is not possible, if it has passed the stop, or if it says
  /// nothing.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - realtime: The trip updates of the board.
  ///   - vehicles: The vehicles.
  init?(_ row: BoardRow, _ realtime: RealtimeIndex?, _ vehicles: VehicleIndex) {
    guard !row.isCancelled else { return nil }
    let extra = row.extra.flatMap { realtime?.extraTrips[$0] }
    let found: VehicleIndex.Vehicle?
    if let extra, extra.kind != .replacement {
      found = extra.tripID.flatMap { vehicles.vehicle(ofExtra: $0) }
    } else {
      found = row.trip.flatMap { vehicles.vehicle(of: $0, day: row.day) }
    }
    guard let found else { return nil }
    vehicle = found
    place = Self.findPlace(of: found, row.trip, extra, vehicles)
    if let place, place > row.position { return nil }
    guard place != nil || found.saysMore else { return nil }
  }

  /// The place of a vehicle's current stop among the stops of a trip.
  static func findPlace(
    of vehicle: VehicleIndex.Vehicle,
    _ trip: Timetable.Trip?,
    _ extra: ExtraTrip?,
    _ vehicles: VehicleIndex
  ) -> Int? {
    guard let extra else { return vehicle.place }
    if !extra.stops.isEmpty { return vehicle.place(among: extra.stops, vehicles.directory) }
    // The stops of a copy are those of its template.
    guard let trip else { return nil }
    let timetable = vehicles.timetable
    let stops = (0..<timetable.callCount(of: trip)).map { place in
      ExtraTrip.Stop(
        stop: timetable.call(place, of: trip).stop,
        sequence: timetable.sequence(place, of: trip),
        isNumbered: true
      )
    }
    return vehicle.place(among: stops, vehicles.directory)
  }

  /// The word of the reference for where the vehicle is; `nil` if its stop is not known.
  static func word(_ status: VehiclePosition.StopStatus) -> String? {
    switch status {
    case .incomingAt: "INCOMING_AT"
    case .stoppedAt: "STOPPED_AT"
    case .inTransitTo: "IN_TRANSIT_TO"
    case .unknown: nil
    }
  }
}

extension DepartureRows {
  /// Writes the member `vehicle` of a row.
  ///
  /// - Returns: The range of the instant at which the vehicle was seen, which is not visible to users; `nil` without one.
  func writeVehicle(_ row: BoardRow, _ extra: ExtraTrip?, _ json: inout JSONBytes) -> Range<Int>? {
    json.raw(",\"vehicle\":")
    guard let seen = row.vehicle else {
      json.raw("null")
      return nil
    }
    json.raw("{\"status\":")
    let current = seen.place.flatMap { stop($0, of: row, extra) }
    if let place = seen.place {
      json.string(RowVehicle.word(seen.vehicle.position.status))
      json.raw(",\"stopName\":")
      if let current {
        json.string(
          feed.timetable.name(of: feed.timetable.station(of: current), language: language)
        )
      } else {
        json.raw("null")
      }
      json.raw(",\"stopsAway\":")
      json.integer(row.position - place)
    } else {
      json.raw("null,\"stopName\":null,\"stopsAway\":null")
    }
    seen.vehicle.writeLoad(&json)
    json.raw(",\"seenAt\":")
    let start = json.length
    json.raw("\"")
    json.instant(seen.vehicle.seenAt)
    json.raw("\"")
    let range = start..<json.length
    json.raw("}")
    return range
  }
}

extension VehicleIndex.Vehicle {
  /// Writes the members `occupancy`, `occupancyPercent` and `wheelchair`.
  func writeLoad(_ json: inout JSONBytes) {
    json.raw(",\"occupancy\":")
    json.string(position.occupancy?.rawValue)
    json.raw(",\"occupancyPercent\":")
    if let percent = position.occupancyPercent {
      json.integer(Int(percent))
    } else {
      json.raw("null")
    }
    json.raw(",\"wheelchair\":")
    if let isAccessible = position.isWheelchairAccessible {
      json.flag(isAccessible)
    } else {
      json.raw("null")
    }
  }
}
