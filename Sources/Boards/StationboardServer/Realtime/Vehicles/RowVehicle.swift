import GTFSRealtime
import Timetable

/// The vehicle of a row, and where it is.
struct RowVehicle: Hashable, Sendable {
  /// The place of the vehicle in ``VehicleIndex/vehicles``.
  var number: Int
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
    guard let found = vehicles.find(row.trip, day: row.day, extra) else { return nil }
    number = found
    place = Self.findPlace(of: found, row.trip, extra, vehicles)
    if let place, place > row.position { return nil }
    guard place != nil || vehicles.vehicles[found].saysMore else { return nil }
  }

  /// Finds the place of a vehicle's current stop among the stops of a trip.
  ///
  /// - Parameters:
  ///   - number: The place of the vehicle in ``VehicleIndex/vehicles``.
  ///   - trip: The trip of the timetable; `nil` if it lacks the trip.
  ///   - extra: The trip as realtime has it, if it is not one of the timetable or takes the place of one.
  ///   - vehicles: Where vehicles are.
  /// - Returns: The place; `nil` if it is not known.
  static func findPlace(
    of number: Int,
    _ trip: Timetable.Trip?,
    _ extra: ExtraTrip?,
    _ vehicles: VehicleIndex
  ) -> Int? {
    guard let extra else { return vehicles.vehicles[number].place }
    if !extra.stops.isEmpty {
      return vehicles.vehicles[number].place(among: extra.stops, vehicles.directory)
    }
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
    return vehicles.vehicles[number].place(among: stops, vehicles.directory)
  }

  /// The reference's value for where the vehicle is; `nil` if its stop is not known.
  static func name(of status: VehiclePosition.StopStatus) -> String? {
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
    guard let seen = row.vehicle, let vehicles else {
      json.raw("null")
      return nil
    }
    json.raw("{\"status\":")
    let current = seen.place.flatMap { stop($0, of: row, extra) }
    if let place = seen.place {
      json.string(RowVehicle.name(of: vehicles.vehicles[seen.number].position.status))
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
    vehicles.vehicles[seen.number].writeLoad(&json)
    json.raw(",\"seenAt\":")
    let start = json.length
    json.raw("\"")
    json.instant(vehicles.vehicles[seen.number].seenAt)
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
