/// The names of the fields that are read, for the path of a fault.
enum WireSchema {
  case feed
  case header
  case entity
  case tripUpdate
  case trip
  case modifiedTrip
  case properties
  case stopTimeUpdate
  case stopTimeEvent
  case stopTimeProperties
  case vehicle
  case position
  case vehicleDescriptor
  case carriage
  case tripModifications
  case selectedTrips
  case modification
  case stopSelector
  case replacementStop
  case stop
  case shape

  /// The name of a field of the schema; a field that is not read goes by its number.
  func name(of field: UInt32) -> String {
    let names = self.names
    let index = Int(field) - 1
    return index < names.count && !names[index].isEmpty ? names[index] : "field \(field)"
  }

  private var names: [String] {
    switch self {
    case .feed: ["header", "entity"]
    case .header: ["gtfs_realtime_version", "incrementality", "timestamp", "feed_version"]
    case .entity:
      [
        "id", "is_deleted", "trip_update", "vehicle", "alert", "shape", "stop",
        "trip_modifications",
      ]
    case .tripUpdate:
      ["trip", "stop_time_update", "vehicle", "timestamp", "delay", "trip_properties"]
    case .trip:
      [
        "trip_id", "start_time", "start_date", "schedule_relationship", "route_id", "direction_id",
        "modified_trip", "original_trip_id",
      ]
    case .modifiedTrip: ["modifications_id", "affected_trip_id", "start_time", "start_date"]
    case .properties:
      ["trip_id", "start_date", "start_time", "shape_id", "trip_headsign", "trip_short_name"]
    case .stopTimeUpdate:
      [
        "stop_sequence", "arrival", "departure", "stop_id", "schedule_relationship",
        "stop_time_properties", "departure_occupancy_status",
      ]
    case .stopTimeEvent: ["delay", "time", "uncertainty", "scheduled_time"]
    case .stopTimeProperties:
      ["assigned_stop_id", "stop_headsign", "pickup_type", "drop_off_type"]
    case .vehicle:
      [
        "trip", "position", "current_stop_sequence", "current_status", "timestamp",
        "congestion_level", "stop_id", "vehicle", "occupancy_status", "occupancy_percentage",
        "multi_carriage_details",
      ]
    case .position: ["latitude", "longitude"]
    case .vehicleDescriptor: ["id", "label", "license_plate", "wheelchair_accessible"]
    case .carriage:
      ["id", "label", "occupancy_status", "occupancy_percentage", "carriage_sequence"]
    case .tripModifications: ["selected_trips", "start_times", "service_dates", "modifications"]
    case .selectedTrips: ["trip_ids", "shape_id"]
    case .modification:
      [
        "start_stop_selector", "end_stop_selector", "propagated_modification_delay",
        "replacement_stops",
      ]
    case .stopSelector: ["stop_sequence", "stop_id"]
    case .replacementStop: ["travel_time_to_stop", "stop_id"]
    case .stop: ["stop_id", "", "stop_name"]
    case .shape: ["shape_id", "encoded_polyline"]
    }
  }
}
