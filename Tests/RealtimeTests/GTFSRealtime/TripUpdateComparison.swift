import GTFS
import GTFSRealtime
import SwiftProtobuf

/// Compares trip updates as the wire reader has them with the message that SwiftProtobuf has decoded
/// from the same bytes: field by field, without any code of the reader.
struct TripUpdateComparison {
  let feed: TripUpdateFeed
  let message: TransitRealtime_FeedMessage
  private(set) var differences: [String] = []

  init(_ feed: TripUpdateFeed, _ message: TransitRealtime_FeedMessage) {
    self.feed = feed
    self.message = message
    compareHeader()
    let expected = message.entity.enumerated().filter { $1.hasTripUpdate && !$1.isDeleted }
    same("trips", feed.trips.count, expected.count)
    same("used", feed.counters.used, expected.count)
    same("deleted", text(feed.deletedEntities), message.entity.filter(\.isDeleted).map(\.id))
    same(
      "other",
      feed.counters.other,
      message.entity.count { !$0.hasTripUpdate && !$0.isDeleted }
    )
    let stops = feed.trips.reduce(0) { $0 + $1.stopTimeUpdates.count }
    same("stop time updates", feed.stopTimeUpdates.count, stops)
    for (trip, (index, entity)) in zip(feed.trips, expected) {
      compare(trip, index, entity, "trip \(index)")
    }
  }

  private mutating func same<Value: Equatable>(_ what: String, _ ours: Value, _ theirs: Value) {
    if ours != theirs { differences.append("\(what): \(ours), SwiftProtobuf \(theirs)") }
  }

  /// An open enumeration: a number the schema does not define is among SwiftProtobuf's unknown fields,
  /// where its order with known numbers is lost.
  private mutating func same(
    _ what: String,
    number: Int32,
    known: Int,
    field: UInt32,
    unknown: UnknownStorage
  ) {
    let numbers = WireWalk.numbers(of: field, in: Array(unknown.data))
    if number == known || numbers.contains(number) { return }
    differences.append("\(what): \(number), SwiftProtobuf \(known) or one of \(numbers)")
  }

  private func text(_ ids: [TextID]) -> [String] { ids.map { feed.texts[$0] } }

  /// A text as ours has it: an empty one counts as absent.
  private func present(_ has: Bool, _ text: String) -> String? {
    has && !text.isEmpty ? text : nil
  }

  private func date(_ has: Bool, _ text: String) -> ServiceDate? {
    has ? ServiceDate(text) : nil
  }

  /// `H:MM:SS` up to fourteen days, by the digits.
  private func time(_ has: Bool, _ text: String) -> Int32? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard has, parts.count == 3, (1...3).contains(parts[0].count), parts[1].count == 2,
      parts[2].count == 2, text.utf8.allSatisfy({ (0x30...0x3A).contains($0) }),
      let hour = Int32(String(parts[0]) ?? ""), let minute = Int32(String(parts[1]) ?? ""),
      let second = Int32(String(parts[2]) ?? ""), minute < 60, second < 60
    else { return nil }
    let seconds = hour * 3600 + minute * 60 + second
    return seconds <= 14 * 86_400 ? seconds : nil
  }

  private mutating func compareHeader() {
    let header = message.header
    same("version", feed.header.version, header.gtfsRealtimeVersion)
    same("timestamp", feed.header.timestamp ?? 0, header.timestamp)
    same("feed version", feed.header.feedVersion, header.hasFeedVersion ? header.feedVersion : nil)
    let number: Int32 =
      switch feed.header.incrementality {
      case .fullDataset: 0
      case .differential: 1
      case .unknown(let number): number
      }
    same(
      "incrementality",
      number: number,
      known: header.incrementality.rawValue,
      field: 2,
      unknown: header.unknownFields
    )
  }

  private mutating func compare(
    _ ours: TripUpdate,
    _ index: Int,
    _ entity: TransitRealtime_FeedEntity,
    _ at: String
  ) {
    let theirs = entity.tripUpdate
    let trip = theirs.trip
    same("\(at) entity", feed.texts[ours.entityID], entity.id)
    same("\(at) index", Int(ours.entityIndex), index)
    same("\(at) trip_id", feed.texts[ours.tripID], present(trip.hasTripID, trip.tripID))
    same("\(at) route_id", feed.texts[ours.routeID], present(trip.hasRouteID, trip.routeID))
    same(
      "\(at) original_trip_id",
      feed.texts[ours.originalTripID],
      present(trip.hasOriginalTripID, trip.originalTripID)
    )
    same("\(at) direction_id", ours.directionID, trip.hasDirectionID ? trip.directionID : nil)
    same("\(at) start_date", ours.startDate, date(trip.hasStartDate, trip.startDate))
    same("\(at) start_time", ours.startTime, time(trip.hasStartTime, trip.startTime))
    same(
      "\(at) schedule_relationship",
      number: ours.relationship.number,
      known: trip.scheduleRelationship.rawValue,
      field: 4,
      unknown: trip.unknownFields
    )
    same("\(at) timestamp", ours.timestamp ?? 0, theirs.timestamp)
    same("\(at) delay", ours.delay, theirs.hasDelay ? theirs.delay : nil)
    same("\(at) modified_trip", ours.modifiedTrip != nil, trip.hasModifiedTrip)
    if let modified = ours.modifiedTrip {
      let other = trip.modifiedTrip
      same(
        "\(at) modifications_id",
        feed.texts[modified.modificationsID],
        present(other.hasModificationsID, other.modificationsID)
      )
      same(
        "\(at) affected_trip_id",
        feed.texts[modified.affectedTripID],
        present(other.hasAffectedTripID, other.affectedTripID)
      )
      same("\(at) modified date", modified.startDate, date(other.hasStartDate, other.startDate))
      same("\(at) modified time", modified.startTime, time(other.hasStartTime, other.startTime))
    }
    compare(ours.properties, theirs, at)
    same("\(at) updates", ours.stopTimeUpdates.count, theirs.stopTimeUpdate.count)
    for (index, pair) in zip(feed.updates(of: ours), theirs.stopTimeUpdate).enumerated() {
      compare(pair.0, pair.1, "\(at) stop \(index)")
    }
  }

  private mutating func compare(
    _ ours: TripProperties?,
    _ update: TransitRealtime_TripUpdate,
    _ at: String
  ) {
    same("\(at) trip_properties", ours != nil, update.hasTripProperties)
    guard let ours else { return }
    let theirs = update.tripProperties
    same("\(at) new trip_id", feed.texts[ours.tripID], present(theirs.hasTripID, theirs.tripID))
    same("\(at) new date", ours.startDate, date(theirs.hasStartDate, theirs.startDate))
    same("\(at) new time", ours.startTime, time(theirs.hasStartTime, theirs.startTime))
    same("\(at) shape", feed.texts[ours.shapeID], present(theirs.hasShapeID, theirs.shapeID))
    same(
      "\(at) headsign",
      feed.texts[ours.headsign],
      present(theirs.hasTripHeadsign, theirs.tripHeadsign)
    )
    same(
      "\(at) short name",
      feed.texts[ours.shortName],
      present(theirs.hasTripShortName, theirs.tripShortName)
    )
  }

  private mutating func compare(
    _ ours: StopTimeUpdate,
    _ theirs: TransitRealtime_TripUpdate.StopTimeUpdate,
    _ at: String
  ) {
    same("\(at) sequence", ours.stopSequence, theirs.hasStopSequence ? theirs.stopSequence : nil)
    same("\(at) stop_id", feed.texts[ours.stopID], present(theirs.hasStopID, theirs.stopID))
    let properties = theirs.stopTimeProperties
    same(
      "\(at) assigned_stop_id",
      feed.texts[ours.assignedStopID],
      present(properties.hasAssignedStopID, properties.assignedStopID)
    )
    let number: Int32 =
      switch ours.relationship {
      case .scheduled: 0
      case .skipped: 1
      case .noData: 2
      case .unscheduled: 3
      case .unknown(let number): number
      }
    same(
      "\(at) schedule_relationship",
      number: number,
      known: theirs.scheduleRelationship.rawValue,
      field: 5,
      unknown: theirs.unknownFields
    )
    same("\(at) arrival", ours.arrival, theirs.hasArrival ? event(theirs.arrival) : nil)
    same("\(at) departure", ours.departure, theirs.hasDeparture ? event(theirs.departure) : nil)
    let details = feed.details(of: ours) ?? StopTimeDetails()
    same(
      "\(at) scheduled arrival",
      details.scheduledArrival,
      theirs.arrival.hasScheduledTime ? theirs.arrival.scheduledTime : nil
    )
    same(
      "\(at) scheduled departure",
      details.scheduledDeparture,
      theirs.departure.hasScheduledTime ? theirs.departure.scheduledTime : nil
    )
    same(
      "\(at) headsign",
      feed.texts[details.headsign],
      present(properties.hasStopHeadsign, properties.stopHeadsign)
    )
    compareNumbers(details, theirs, at)
  }

  private mutating func compareNumbers(
    _ details: StopTimeDetails,
    _ theirs: TransitRealtime_TripUpdate.StopTimeUpdate,
    _ at: String
  ) {
    let properties = theirs.stopTimeProperties
    same(
      "\(at) pickup",
      number: number(details.pickup),
      known: properties.hasPickupType ? properties.pickupType.rawValue : -1,
      field: 3,
      unknown: properties.unknownFields
    )
    same(
      "\(at) drop-off",
      number: number(details.dropOff),
      known: properties.hasDropOffType ? properties.dropOffType.rawValue : -1,
      field: 4,
      unknown: properties.unknownFields
    )
    same(
      "\(at) occupancy",
      number: details.occupancy ?? -1,
      known: theirs.hasDepartureOccupancyStatus ? theirs.departureOccupancyStatus.rawValue : -1,
      field: 7,
      unknown: theirs.unknownFields
    )
  }

  private func number(_ access: StopTimeDetails.Access?) -> Int32 {
    switch access {
    case nil: -1
    case .regular: 0
    case .some(.none): 1
    case .phoneAgency: 2
    case .coordinateWithDriver: 3
    case .unknown(let number): number
    }
  }

  private func event(_ event: TransitRealtime_TripUpdate.StopTimeEvent) -> StopTimeEvent {
    StopTimeEvent(
      time: event.hasTime ? event.time : nil,
      delay: event.hasDelay ? event.delay : nil,
      uncertainty: event.hasUncertainty ? event.uncertainty : nil
    )
  }
}
