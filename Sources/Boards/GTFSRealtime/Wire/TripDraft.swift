import GTFS

/// A trip update while its entity is read: every field as last seen, dates and times still as texts.
struct TripDraft {
  /// Date and time of a trip as texts of the feed; empty texts count as absent.
  struct Start {
    var date = TextID.none
    var time = TextID.none
  }

  /// `trip_properties` as texts of the feed.
  struct Properties {
    var tripID = TextID.none
    var start = Start()
    var shapeID = TextID.none
    var headsign = TextID.none
    var shortName = TextID.none
  }

  /// `modified_trip` as texts of the feed.
  struct Modified {
    var modificationsID = TextID.none
    var affectedTripID = TextID.none
    var start = Start()
  }

  var entity = TextID.none
  var isDeleted = false
  var hasTripUpdate = false
  var hasTrip = false
  var tripID = TextID.none
  var routeID = TextID.none
  var originalTripID = TextID.none
  var directionID: UInt32?
  var start = Start()
  var relationship: Int32 = 0
  var modified: Modified?
  var timestamp: UInt64 = 0
  var delay: Int32?
  var properties: Properties?

  var entityID: TextID { TextID(number: entity) }
}

extension TripUpdateReader {
  /// The finished trip update of a draft; `first` is the place of its first stop time update, `field` the name of the
  /// field of the entity that has the trip.
  mutating func trip(
    _ draft: TripDraft,
    index: Int,
    first: Int,
    at offset: Int,
    within field: String = "trip_update"
  ) throws(WireFault) -> TripUpdate {
    var invalidTime = false
    let date = try date(draft.start, "\(field).trip.start_date", at: offset)
    let time = time(draft.start, &invalidTime)
    var modified: ModifiedTrip?
    if let found = draft.modified {
      var trip = ModifiedTrip()
      trip.modificationsID = id(found.modificationsID)
      trip.affectedTripID = id(found.affectedTripID)
      trip.startDate = try self.date(
        found.start,
        "\(field).trip.modified_trip.start_date",
        at: offset
      )
      trip.startTime = self.time(found.start, &invalidTime)
      modified = trip
    }
    var properties: TripProperties?
    if let found = draft.properties {
      var trip = TripProperties()
      trip.tripID = id(found.tripID)
      trip.startDate = try self.date(
        found.start,
        "trip_update.trip_properties.start_date",
        at: offset
      )
      trip.startTime = self.time(found.start, &invalidTime)
      trip.shapeID = id(found.shapeID)
      trip.headsign = id(found.headsign)
      trip.shortName = id(found.shortName)
      properties = trip
    }
    if invalidTime { counters.invalidStartTimes += 1 }
    return TripUpdate(
      entityID: draft.entityID,
      entityIndex: Int32(truncatingIfNeeded: index),
      tripID: id(draft.tripID),
      routeID: id(draft.routeID),
      originalTripID: id(draft.originalTripID),
      directionID: draft.directionID,
      startDate: date,
      startTime: time,
      relationship: TripScheduleRelationship(number: draft.relationship),
      modifiedTrip: modified,
      timestamp: draft.timestamp == 0 ? nil : draft.timestamp,
      delay: draft.delay,
      properties: properties,
      stopTimeUpdates: first..<updates.count
    )
  }

  /// The id of a text; `nil` for none and for an empty one.
  private func id(_ number: UInt32) -> TextID? {
    guard number != TextID.none, !interner.isEmpty(number) else { return nil }
    return TextID(number: number)
  }

  private func date(
    _ start: TripDraft.Start,
    _ path: String,
    at offset: Int
  ) throws(WireFault) -> ServiceDate? {
    guard let id = id(start.date) else { return nil }
    if let date = interner.withBytes(id.number, { ServiceDate($0) }) { return date }
    var fault = WireFault(.invalidDate, "a start_date that is not YYYYMMDD", at: offset)
    fault.path = path
    throw fault
  }

  private func time(_ start: TripDraft.Start, _ isInvalid: inout Bool) -> Int32? {
    guard let id = id(start.time) else { return nil }
    switch interner.withBytes(id.number, { TimeOfDay.read($0) }) {
    case .seconds(let seconds): return seconds
    case .blank: return nil
    case .malformed:
      isInvalid = true
      return nil
    }
  }
}
