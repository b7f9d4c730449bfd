import GTFSRealtime
import Hashing
import SwiftProtobuf

/// Makes feeds in which every field of the schema occurs, with plausible and with extreme values.
struct RandomFeed {
  var generator: SplitMix64
  /// Whether entities of other kinds and unread fields occur.
  var hasUnreadFields = true

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  private static let texts = [
    "", "8501120:0:3", "8501120:0:4", "ch:1:sloid:1008::2", "Parent8501120",
    "105.TA.91-6-E-j25-1.14.H",
    "Genève-Aéroport", "Zürich HB", "日本橋", "\u{0}", "a", "😀",
    "a text that is longer than sixteen bytes, and then some more of it",
  ]
  private static let dates = ["20261124", "20260229", "20281231", ""]
  private static let times = ["07:02:00", "7:02:00", "25:10:00", "", "noon", "120:00:00"]

  mutating func text() -> String {
    generator.oneIn(4)
      ? "\(generator.pick(Self.texts))-\(generator.below(50))" : generator.pick(Self.texts)
  }

  /// A date that is one, or none; a broken date rejects the entity and has its own test.
  mutating func date() -> String {
    generator.oneIn(2) ? Self.dates[0] : generator.pick(["20281231", ""])
  }

  mutating func number32() -> Int32 {
    generator.oneIn(3)
      ? Int32(truncatingIfNeeded: generator.next()) : Int32(generator.below(4_000)) - 600
  }

  mutating func number64() -> Int64 {
    generator.oneIn(4)
      ? Int64(bitPattern: generator.next()) : 1_795_500_000 + Int64(generator.below(90_000))
  }

  mutating func feed(entities: Int) -> TransitRealtime_FeedMessage {
    var feed = TransitRealtime_FeedMessage()
    feed.header.gtfsRealtimeVersion = generator.pick(["2.0", "1.0", "", "2.0-β"])
    if generator.oneIn(2) {
      feed.header.incrementality = generator.pick([.fullDataset, .differential])
    }
    if !generator.oneIn(3) { feed.header.timestamp = UInt64(bitPattern: number64()) }
    if generator.oneIn(2) { feed.header.feedVersion = text() }
    for _ in 0..<entities { feed.entity.append(entity()) }
    return feed
  }

  mutating func entity() -> TransitRealtime_FeedEntity {
    var entity = TransitRealtime_FeedEntity()
    entity.id = text()
    if generator.oneIn(8) { entity.isDeleted = generator.oneIn(2) }
    if !generator.oneIn(6) { entity.tripUpdate = tripUpdate() }
    if hasUnreadFields {
      if generator.oneIn(6) { entity.vehicle = vehicle() }
      if generator.oneIn(6) { entity.alert = alert() }
      if generator.oneIn(20) { entity.shape.encodedPolyline = text() }
      if generator.oneIn(20) { entity.stop.stopName.translation = [translation()] }
      if generator.oneIn(20) {
        entity.tripModifications.startTimes = [text(), text()]
        entity.tripModifications.modifications = [.with { $0.propagatedModificationDelay = 7 }]
      }
    }
    return entity
  }

  mutating func tripUpdate() -> TransitRealtime_TripUpdate {
    var update = TransitRealtime_TripUpdate()
    update.trip = trip()
    if hasUnreadFields, generator.oneIn(3) { update.vehicle = vehicleDescriptor() }
    if generator.oneIn(2) { update.timestamp = UInt64(bitPattern: number64()) }
    if generator.oneIn(3) { update.delay = number32() }
    if generator.oneIn(4) { update.tripProperties = properties() }
    for _ in 0..<generator.below(6) { update.stopTimeUpdate.append(stopTimeUpdate()) }
    return update
  }

  mutating func trip() -> TransitRealtime_TripDescriptor {
    var trip = TransitRealtime_TripDescriptor()
    if !generator.oneIn(5) { trip.tripID = text() }
    if generator.oneIn(2) { trip.routeID = text() }
    if generator.oneIn(3) { trip.directionID = UInt32(truncatingIfNeeded: number32()) }
    if generator.oneIn(2) { trip.startTime = generator.pick(Self.times) }
    if generator.oneIn(2) { trip.startDate = date() }
    if generator.oneIn(2) {
      trip.scheduleRelationship = generator.pick(
        TransitRealtime_TripDescriptor.ScheduleRelationship.allCases
      )
    }
    if generator.oneIn(6) {
      trip.modifiedTrip = .init()
      if generator.oneIn(2) { trip.modifiedTrip.modificationsID = text() }
      if generator.oneIn(2) { trip.modifiedTrip.affectedTripID = text() }
      if generator.oneIn(2) { trip.modifiedTrip.startTime = generator.pick(Self.times) }
      if generator.oneIn(2) { trip.modifiedTrip.startDate = date() }
    }
    if generator.oneIn(3) { trip.originalTripID = text() }
    return trip
  }

  mutating func properties() -> TransitRealtime_TripUpdate.TripProperties {
    var properties = TransitRealtime_TripUpdate.TripProperties()
    if generator.oneIn(2) { properties.tripID = text() }
    if generator.oneIn(2) { properties.startDate = date() }
    if generator.oneIn(2) { properties.startTime = generator.pick(Self.times) }
    if generator.oneIn(2) { properties.shapeID = text() }
    if generator.oneIn(2) { properties.tripHeadsign = text() }
    if generator.oneIn(2) { properties.tripShortName = text() }
    return properties
  }

  mutating func stopTimeUpdate() -> TransitRealtime_TripUpdate.StopTimeUpdate {
    var update = TransitRealtime_TripUpdate.StopTimeUpdate()
    if generator.oneIn(2) { update.stopSequence = UInt32(truncatingIfNeeded: number32()) }
    if generator.oneIn(2) { update.stopID = text() }
    if generator.oneIn(2) { update.arrival = event() }
    if generator.oneIn(2) { update.departure = event() }
    if generator.oneIn(6) {
      update.departureOccupancyStatus = generator.pick(
        TransitRealtime_VehiclePosition.OccupancyStatus.allCases
      )
    }
    if generator.oneIn(3) {
      update.scheduleRelationship = generator.pick(
        TransitRealtime_TripUpdate.StopTimeUpdate.ScheduleRelationship.allCases
      )
    }
    if generator.oneIn(4) {
      typealias Access = TransitRealtime_TripUpdate.StopTimeUpdate.StopTimeProperties
        .DropOffPickupType
      update.stopTimeProperties = .init()
      if generator.oneIn(2) { update.stopTimeProperties.assignedStopID = text() }
      if generator.oneIn(2) { update.stopTimeProperties.stopHeadsign = text() }
      if generator.oneIn(2) {
        update.stopTimeProperties.pickupType = generator.pick(Access.allCases)
      }
      if generator.oneIn(2) {
        update.stopTimeProperties.dropOffType = generator.pick(Access.allCases)
      }
    }
    return update
  }

  mutating func event() -> TransitRealtime_TripUpdate.StopTimeEvent {
    var event = TransitRealtime_TripUpdate.StopTimeEvent()
    if generator.oneIn(2) { event.delay = number32() }
    if generator.oneIn(2) { event.time = number64() }
    if generator.oneIn(3) { event.uncertainty = number32() }
    if generator.oneIn(4) { event.scheduledTime = number64() }
    return event
  }
}
