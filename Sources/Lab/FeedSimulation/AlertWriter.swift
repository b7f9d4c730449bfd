import GTFS
import GTFSRealtime

/// Writes alerts as protobuf (Alert of the GTFS-Realtime reference).
struct AlertWriter {
  private(set) var wire: WireWriter

  /// Continues a feed after its header.
  init(_ header: WireWriter) { wire = header }

  /// Writes an alert as an entity.
  mutating func entity(_ alert: Alert) {
    let entity = wire.open(2)
    wire.text(1, alert.entityID)
    let message = wire.open(5)
    for period in alert.activePeriods { self.period(1, period) }
    for selector in alert.informedEntities { self.selector(selector) }
    wire.number(6, alert.cause.number)
    wire.number(7, alert.effect.number)
    translated(8, alert.url)
    translated(10, alert.header)
    translated(11, alert.text)
    wire.number(14, alert.severity.number)
    wire.close(message)
    wire.close(entity)
  }

  private mutating func period(_ field: UInt64, _ period: ActivePeriod) {
    let message = wire.open(field)
    if let start = period.start { wire.number(1, Int64(start)) }
    if let end = period.end { wire.number(2, Int64(end)) }
    wire.close(message)
  }

  private mutating func selector(_ selector: EntitySelector) {
    let message = wire.open(5)
    if let agency = selector.agencyID { wire.text(1, agency) }
    if let route = selector.routeID { wire.text(2, route) }
    if let type = selector.routeType { wire.number(3, Int64(type)) }
    if let trip = selector.trip {
      let descriptor = wire.open(4)
      if let id = trip.tripID { wire.text(1, id) }
      if let time = trip.startTime { wire.text(2, TimeOfDay.text(Int(time))) }
      if let date = trip.startDate {
        wire.text(3, date.description.replacing("-", with: ""))
      }
      if let route = trip.routeID { wire.text(5, route) }
      wire.close(descriptor)
    }
    if let stop = selector.stopID { wire.text(5, stop) }
    if let direction = selector.directionID { wire.number(6, Int64(direction)) }
    wire.close(message)
  }

  private mutating func translated(_ field: UInt64, _ text: TranslatedText?) {
    guard let text else { return }
    let message = wire.open(field)
    for translation in text.translations {
      let part = wire.open(1)
      wire.text(1, translation.text)
      if let language = translation.language { wire.text(2, language) }
      wire.close(part)
    }
    wire.close(message)
  }
}

extension AlertCause {
  /// The number of the schema.
  var number: Int64 {
    (1...13).first { AlertCause(number: Int32($0)) == self } ?? 1
  }
}

extension AlertEffect {
  /// The number of the schema.
  var number: Int64 {
    (1...11).first { AlertEffect(number: Int32($0)) == self } ?? 8
  }
}

extension AlertSeverity {
  /// The number of the schema.
  var number: Int64 {
    (1...4).first { AlertSeverity(number: Int32($0)) == self } ?? 1
  }
}
