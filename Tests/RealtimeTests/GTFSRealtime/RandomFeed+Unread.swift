import GTFSRealtime
import SwiftProtobuf

/// What the reader of trip updates passes over, and alerts.
extension RandomFeed {
  mutating func vehicleDescriptor() -> TransitRealtime_VehicleDescriptor {
    var vehicle = TransitRealtime_VehicleDescriptor()
    vehicle.id = text()
    if generator.oneIn(2) { vehicle.label = text() }
    if generator.oneIn(2) { vehicle.licensePlate = text() }
    if generator.oneIn(2) { vehicle.wheelchairAccessible = .wheelchairInaccessible }
    return vehicle
  }

  mutating func vehicle() -> TransitRealtime_VehiclePosition {
    var vehicle = TransitRealtime_VehiclePosition()
    vehicle.trip = trip()
    vehicle.vehicle = vehicleDescriptor()
    vehicle.position = .with {
      $0.latitude = 46.5
      $0.longitude = 6.6
      $0.odometer = 1e9
    }
    if generator.oneIn(2) { vehicle.currentStopSequence = 4 }
    if generator.oneIn(2) { vehicle.currentStatus = .stoppedAt }
    if generator.oneIn(2) { vehicle.congestionLevel = .severeCongestion }
    if generator.oneIn(2) {
      vehicle.multiCarriageDetails = [
        .with {
          $0.id = "7"
          $0.occupancyPercentage = 50
          $0.carriageSequence = 1
        }
      ]
    }
    return vehicle
  }

  mutating func translation() -> TransitRealtime_TranslatedString.Translation {
    var translation = TransitRealtime_TranslatedString.Translation()
    translation.text = text()
    if !generator.oneIn(4) {
      translation.language = generator.pick(["de", "fr-CH", "IT", "en", ""])
    }
    return translation
  }

  mutating func translated() -> TransitRealtime_TranslatedString {
    var string = TransitRealtime_TranslatedString()
    for _ in 0..<generator.below(5) { string.translation.append(translation()) }
    return string
  }

  mutating func period() -> TransitRealtime_TimeRange {
    var range = TransitRealtime_TimeRange()
    if generator.oneIn(2) { range.start = generator.oneIn(4) ? 0 : UInt64(bitPattern: number64()) }
    if generator.oneIn(2) { range.end = UInt64(bitPattern: number64()) }
    return range
  }

  mutating func selector() -> TransitRealtime_EntitySelector {
    var selector = TransitRealtime_EntitySelector()
    if generator.oneIn(2) { selector.agencyID = text() }
    if generator.oneIn(2) { selector.routeID = text() }
    if generator.oneIn(4) { selector.routeType = number32() }
    if generator.oneIn(3) { selector.trip = trip() }
    if generator.oneIn(2) { selector.stopID = text() }
    if generator.oneIn(4) { selector.directionID = 1 }
    return selector
  }

  mutating func alert() -> TransitRealtime_Alert {
    var alert = TransitRealtime_Alert()
    for _ in 0..<generator.below(3) { alert.activePeriod.append(period()) }
    for _ in 0..<generator.below(2) { alert.communicationPeriod.append(period()) }
    for _ in 0..<generator.below(2) { alert.impactPeriod.append(period()) }
    for _ in 0..<generator.below(5) { alert.informedEntity.append(selector()) }
    if generator.oneIn(2) { alert.cause = generator.pick(TransitRealtime_Alert.Cause.allCases) }
    if generator.oneIn(2) { alert.effect = generator.pick(TransitRealtime_Alert.Effect.allCases) }
    if generator.oneIn(2) {
      alert.severityLevel = generator.pick(TransitRealtime_Alert.SeverityLevel.allCases)
    }
    if generator.oneIn(2) { alert.url = translated() }
    if generator.oneIn(2) { alert.headerText = translated() }
    if generator.oneIn(2) { alert.descriptionText = translated() }
    if generator.oneIn(4) { alert.ttsHeaderText = translated() }
    if generator.oneIn(4) { alert.ttsDescriptionText = translated() }
    if generator.oneIn(4) { alert.causeDetail = translated() }
    if generator.oneIn(4) { alert.effectDetail = translated() }
    if generator.oneIn(6) {
      alert.image.localizedImage = [
        .with {
          $0.url = "https://example.org/map.png"
          $0.mediaType = "image/png"
        }
      ]
    }
    return alert
  }
}
