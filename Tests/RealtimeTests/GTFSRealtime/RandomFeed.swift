import GTFSRealtime
import SwiftProtobuf

/// Makes feeds in which every field of the schema occurs, with plausible and with extreme values.
struct RandomFeed {
  var dice: RandomSource
  /// Whether entities of other kinds and unread fields occur.
  var hasUnreadFields = true

  init(seed: UInt64) { dice = RandomSource(seed: seed) }

  private static let texts = [
    "", "8501120:0:3", "8501120:0:4", "ch:1:sloid:1008::2", "Parent8501120",
    "105.TA.91-6-E-j25-1.14.H",
    "Genève-Aéroport", "Zürich HB", "日本橋", "\u{0}", "a", "😀",
    "a text that is longer than sixteen bytes, and then some more of it",
  ]
  private static let dates = ["20261124", "20260229", "20281231", ""]
  private static let times = ["07:02:00", "7:02:00", "25:10:00", "", "noon", "120:00:00"]

  mutating func text() -> String {
    dice.oneIn(4) ? "\(dice.pick(Self.texts))-\(dice.below(50))" : dice.pick(Self.texts)
  }

  /// A date that is one, or none; a broken date rejects the entity and has its own test.
  mutating func date() -> String { dice.oneIn(2) ? Self.dates[0] : dice.pick(["20281231", ""]) }

  mutating func number32() -> Int32 {
    dice.oneIn(3) ? Int32(truncatingIfNeeded: dice.next()) : Int32(dice.below(4_000)) - 600
  }

  mutating func number64() -> Int64 {
    dice.oneIn(4) ? Int64(bitPattern: dice.next()) : 1_795_500_000 + Int64(dice.below(90_000))
  }

  mutating func feed(entities: Int) -> TransitRealtime_FeedMessage {
    var feed = TransitRealtime_FeedMessage()
    feed.header.gtfsRealtimeVersion = dice.pick(["2.0", "1.0", "", "2.0-β"])
    if dice.oneIn(2) { feed.header.incrementality = dice.pick([.fullDataset, .differential]) }
    if !dice.oneIn(3) { feed.header.timestamp = UInt64(bitPattern: number64()) }
    if dice.oneIn(2) { feed.header.feedVersion = text() }
    for _ in 0..<entities { feed.entity.append(entity()) }
    return feed
  }

  mutating func entity() -> TransitRealtime_FeedEntity {
    var entity = TransitRealtime_FeedEntity()
    entity.id = text()
    if dice.oneIn(8) { entity.isDeleted = dice.oneIn(2) }
    if !dice.oneIn(6) { entity.tripUpdate = tripUpdate() }
    if hasUnreadFields {
      if dice.oneIn(6) { entity.vehicle = vehicle() }
      if dice.oneIn(6) { entity.alert = alert() }
      if dice.oneIn(20) { entity.shape.encodedPolyline = text() }
      if dice.oneIn(20) { entity.stop.stopName.translation = [translation()] }
      if dice.oneIn(20) {
        entity.tripModifications.startTimes = [text(), text()]
        entity.tripModifications.modifications = [.with { $0.propagatedModificationDelay = 7 }]
      }
    }
    return entity
  }

  mutating func tripUpdate() -> TransitRealtime_TripUpdate {
    var update = TransitRealtime_TripUpdate()
    update.trip = trip()
    if hasUnreadFields, dice.oneIn(3) { update.vehicle = vehicleDescriptor() }
    if dice.oneIn(2) { update.timestamp = UInt64(bitPattern: number64()) }
    if dice.oneIn(3) { update.delay = number32() }
    if dice.oneIn(4) { update.tripProperties = properties() }
    for _ in 0..<dice.below(6) { update.stopTimeUpdate.append(stopTimeUpdate()) }
    return update
  }

  mutating func trip() -> TransitRealtime_TripDescriptor {
    var trip = TransitRealtime_TripDescriptor()
    if !dice.oneIn(5) { trip.tripID = text() }
    if dice.oneIn(2) { trip.routeID = text() }
    if dice.oneIn(3) { trip.directionID = UInt32(truncatingIfNeeded: number32()) }
    if dice.oneIn(2) { trip.startTime = dice.pick(Self.times) }
    if dice.oneIn(2) { trip.startDate = date() }
    if dice.oneIn(2) {
      trip.scheduleRelationship = dice.pick(
        TransitRealtime_TripDescriptor.ScheduleRelationship.allCases
      )
    }
    if dice.oneIn(6) {
      trip.modifiedTrip = .init()
      if dice.oneIn(2) { trip.modifiedTrip.modificationsID = text() }
      if dice.oneIn(2) { trip.modifiedTrip.affectedTripID = text() }
      if dice.oneIn(2) { trip.modifiedTrip.startTime = dice.pick(Self.times) }
      if dice.oneIn(2) { trip.modifiedTrip.startDate = date() }
    }
    if dice.oneIn(3) { trip.originalTripID = text() }
    return trip
  }

  mutating func properties() -> TransitRealtime_TripUpdate.TripProperties {
    var properties = TransitRealtime_TripUpdate.TripProperties()
    if dice.oneIn(2) { properties.tripID = text() }
    if dice.oneIn(2) { properties.startDate = date() }
    if dice.oneIn(2) { properties.startTime = dice.pick(Self.times) }
    if dice.oneIn(2) { properties.shapeID = text() }
    if dice.oneIn(2) { properties.tripHeadsign = text() }
    if dice.oneIn(2) { properties.tripShortName = text() }
    return properties
  }

  mutating func stopTimeUpdate() -> TransitRealtime_TripUpdate.StopTimeUpdate {
    var update = TransitRealtime_TripUpdate.StopTimeUpdate()
    if dice.oneIn(2) { update.stopSequence = UInt32(truncatingIfNeeded: number32()) }
    if dice.oneIn(2) { update.stopID = text() }
    if dice.oneIn(2) { update.arrival = event() }
    if dice.oneIn(2) { update.departure = event() }
    if dice.oneIn(6) {
      update.departureOccupancyStatus = dice.pick(
        TransitRealtime_VehiclePosition.OccupancyStatus.allCases
      )
    }
    if dice.oneIn(3) {
      update.scheduleRelationship = dice.pick(
        TransitRealtime_TripUpdate.StopTimeUpdate.ScheduleRelationship.allCases
      )
    }
    if dice.oneIn(4) {
      typealias Access = TransitRealtime_TripUpdate.StopTimeUpdate.StopTimeProperties
        .DropOffPickupType
      update.stopTimeProperties = .init()
      if dice.oneIn(2) { update.stopTimeProperties.assignedStopID = text() }
      if dice.oneIn(2) { update.stopTimeProperties.stopHeadsign = text() }
      if dice.oneIn(2) { update.stopTimeProperties.pickupType = dice.pick(Access.allCases) }
      if dice.oneIn(2) { update.stopTimeProperties.dropOffType = dice.pick(Access.allCases) }
    }
    return update
  }

  mutating func event() -> TransitRealtime_TripUpdate.StopTimeEvent {
    var event = TransitRealtime_TripUpdate.StopTimeEvent()
    if dice.oneIn(2) { event.delay = number32() }
    if dice.oneIn(2) { event.time = number64() }
    if dice.oneIn(3) { event.uncertainty = number32() }
    if dice.oneIn(4) { event.scheduledTime = number64() }
    return event
  }
}
