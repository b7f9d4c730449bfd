import GTFS
import GTFSRealtime
import Timetable

extension TripAnswer {
  /// The vehicle of the trip, and the place of its current stop; `nil` if nothing recent is known of it.
  private func vehicle(
    _ realtime: TripRealtime?
  ) -> (vehicle: VehicleIndex.Vehicle, place: Int?)? {
    guard let vehicles = snapshot.vehicleIndex, vehicles.timetable === timetable,
      realtime?.isCancelled != true
    else { return nil }
    let extra = realtime?.extra
    guard let found = vehicles.find(journey.trip, day: journey.day.daysSinceEpoch, extra) else {
      return nil
    }
    let vehicle = vehicles.vehicles[found]
    guard decay.freshness(age: now - Double(vehicle.seenAt)) != .stale else { return nil }
    return (vehicle, RowVehicle.findPlace(of: found, journey.trip, extra, vehicles))
  }

  /// Writes the member `vehicle` of the trip.
  func writeVehicle(_ realtime: TripRealtime?, _ json: inout JSONBytes) {
    json.raw(",\"vehicle\":")
    guard let (vehicle, place) = vehicle(realtime) else { return json.raw("null") }
    let position = vehicle.position
    json.raw("{\"status\":")
    json.string(place == nil ? nil : RowVehicle.name(of: position.status))
    json.raw(",\"stop_sequence\":")
    let stops = stops(realtime)
    if let place, let stop = stops.first(where: { $0.0 == place })?.1 {
      json.integer(stop.sequence)
    } else {
      json.raw("null")
    }
    vehicle.writeLoad(&json)
    json.raw(",\"label\":")
    json.string(vehicle.label)
    json.raw(",\"lat\":")
    if let coordinate = position.coordinate {
      json.degrees(Double(coordinate.latitude))
      json.raw(",\"lon\":")
      json.degrees(Double(coordinate.longitude))
    } else {
      json.raw("null,\"lon\":null")
    }
    json.raw(",\"carriages\":[")
    for (number, carriage) in position.carriages.enumerated() {
      json.raw(number > 0 ? ",{\"label\":" : "{\"label\":")
      json.string(vehicle.carriageLabels[number])
      json.raw(",\"occupancy\":")
      json.string(carriage.occupancy?.rawValue)
      json.raw(",\"occupancyPercent\":")
      if let percent = carriage.occupancyPercent {
        json.integer(Int(percent))
      } else {
        json.raw("null")
      }
      json.raw("}")
    }
    json.raw("],\"seenAt\":\"")
    json.instant(vehicle.seenAt)
    json.raw("\"}")
  }
}
