import GTFS

/// routes.txt, trips.txt and frequencies.txt.
extension FeedReader {
  func readRoutes() throws(FeedError) {
    struct Columns {
      var id: Int
      var agency: Int?
      var shortName: Int?
      var longName: Int?
      var type: Int
      var color: Int?
      var textColor: Int?
    }
    try read(.routes) { reader throws(FeedError) in
      Columns(
        id: try reader.required("route_id"),
        agency: reader.column("agency_id"),
        shortName: reader.column("route_short_name"),
        longName: reader.column("route_long_name"),
        type: try reader.required("route_type"),
        color: reader.column("route_color"),
        textColor: reader.column("route_text_color")
      )
    } row: { reader, columns throws(FeedError) in
      let id = reader.bytes(columns.id)
      guard id.count > 0, id.count <= FeedLimits.textBytes else {
        return Rejection(.identifier, column: columns.id, reason: "route_id is blank or too long")
      }
      guard find(id, in: tables.routeIds) == nil else {
        return Rejection(
          .duplicate,
          column: columns.id,
          reason: "route_id \(shown(reader, columns.id)) appears twice"
        )
      }
      guard let type = integer(reader, columns.type), (0...1_702).contains(type) else {
        return Rejection(
          .value,
          column: columns.type,
          reason: "route_type \(shown(reader, columns.type)) is not a route type"
        )
      }
      guard tables.routes.count < FeedLimits.entities else {
        throw FeedError(.limitExceeded, "routes.txt: more than \(FeedLimits.entities) routes")
      }
      _ = withStored(id) { tables.routeIds.insert($0) }
      tables.routes.append(
        RouteRecord(
          id: text(reader, columns.id),
          agency: agency(reader, columns.agency),
          shortName: text(reader, columns.shortName),
          longName: text(reader, columns.longName),
          color: color(reader, columns.color),
          textColor: color(reader, columns.textColor),
          type: Int32(type)
        )
      )
      return nil
    }
  }

  private func agency(_ reader: CSVReader, _ column: Int?) -> UInt32 {
    let id = reader.bytes(column)
    if let number = find(id, in: tables.agencyIds) { return number }
    if id.count > 0 { warn(reader, column, "\(shown(reader, column)) is not an agency") }
    return tables.agencies.count == 1 ? 0 : noRecord
  }

  private func color(_ reader: CSVReader, _ column: Int?) -> UInt32 {
    var bytes = reader.bytes(column)
    guard bytes.count > 0 else { return noRecord }
    if bytes[0] == 0x23 { bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst()) }
    let digits = String(decoding: bytes, as: UTF8.self)
    let isHex = digits.allSatisfy { $0.isASCII && $0.isHexDigit }
    guard bytes.count == 6, isHex, let value = UInt32(digits, radix: 16) else {
      warn(reader, column, "\(shown(reader, column)) is not a colour RRGGBB")
      return noRecord
    }
    return value
  }

  func readTrips() throws(FeedError) {
    struct Columns {
      var id: Int
      var route: Int
      var service: Int
      var headsign: Int?
      var shortName: Int?
      var direction: Int?
      var block: Int?
    }
    let expected = (source.size(of: .trips) ?? 0) / 64
    tables.trips.ids = ByteTable(capacity: min(expected, 1 << 22))
    try read(.trips) { reader throws(FeedError) in
      Columns(
        id: try reader.required("trip_id"),
        route: try reader.required("route_id"),
        service: try reader.required("service_id"),
        headsign: reader.column("trip_headsign"),
        shortName: reader.column("trip_short_name"),
        direction: reader.column("direction_id"),
        block: reader.column("block_id")
      )
    } row: { reader, columns throws(FeedError) in
      let id = reader.bytes(columns.id)
      guard id.count > 0, id.count <= FeedLimits.textBytes else {
        return Rejection(.identifier, column: columns.id, reason: "trip_id is blank or too long")
      }
      guard
        tables.trips.states.count < FeedLimits.trips,
        tables.trips.ids.arena.count < Int(UInt32.max) - FeedLimits.textBytes
      else {
        throw FeedError(.limitExceeded, "trips.txt: more than \(FeedLimits.trips) trips")
      }
      guard withStored(id, { tables.trips.ids.insert($0) }).isNew else {
        return Rejection(
          .duplicate,
          column: columns.id,
          reason: "trip_id \(shown(reader, columns.id)) appears twice"
        )
      }
      let route = find(reader.bytes(columns.route), in: tables.routeIds)
      let service = find(reader.bytes(columns.service), in: tables.serviceIds)
      let isKnown = route != nil && service != nil
      tables.trips.routes.append(route ?? 0)
      tables.trips.services.append(service ?? 0)
      tables.trips.headsigns.append(text(reader, columns.headsign))
      tables.trips.shortNames.append(text(reader, columns.shortName))
      tables.trips.directions.append(
        UInt8(clamping: integer(reader, columns.direction) ?? 255)
      )
      tables.trips.blocks.append(block(reader, columns.block))
      tables.trips.patterns.append(noRecord)
      tables.trips.profiles.append(0)
      tables.trips.distances.append(noRecord)
      tables.trips.starts.append(0)
      tables.trips.states.append(isKnown ? .waiting : .rejected)
      if isKnown { return nil }
      return route == nil
        ? Rejection(
          .reference,
          column: columns.route,
          reason: "route_id \(shown(reader, columns.route)) is not in routes.txt"
        )
        : Rejection(
          .reference,
          column: columns.service,
          reason: "service_id \(shown(reader, columns.service)) is in no calendar file"
        )
    }
  }

  /// The number of a block_id; ``noRecord`` for none, and for one that is too long.
  private func block(_ reader: CSVReader, _ column: Int?) -> UInt32 {
    let id = reader.bytes(column)
    guard id.count > 0, id.count <= FeedLimits.textBytes else { return noRecord }
    return withStored(id) { tables.blockIds.insert($0) }.number
  }

  func readFrequencies() throws(FeedError) {
    struct Columns {
      var trip: Int
      var start: Int
      var end: Int
      var headway: Int
      var exact: Int?
    }
    try read(.frequencies) { reader throws(FeedError) in
      Columns(
        trip: try reader.required("trip_id"),
        start: try reader.required("start_time"),
        end: try reader.required("end_time"),
        headway: try reader.required("headway_secs"),
        exact: reader.column("exact_times")
      )
    } row: { [self] reader, columns in
      let id = reader.bytes(columns.trip)
      let known = find(id, in: tables.trips.ids)
      guard let trip = known else {
        return Rejection(
          .reference,
          column: columns.trip,
          reason: "trip_id \(shown(reader, columns.trip)) is not in trips.txt"
        )
      }
      // A trip of which a row is here runs by its rows only, also if none of them can be used.
      tables.frequencies[trip, default: []] += []
      guard case .seconds(let start) = TimeOfDay.read(reader.bytes(columns.start)) else {
        return Rejection(
          .value,
          column: columns.start,
          reason: "\(shown(reader, columns.start)) is not a time H:MM:SS"
        )
      }
      guard case .seconds(let end) = TimeOfDay.read(reader.bytes(columns.end)) else {
        return Rejection(
          .value,
          column: columns.end,
          reason: "\(shown(reader, columns.end)) is not a time H:MM:SS"
        )
      }
      guard start < end else {
        return Rejection(.order, column: columns.end, reason: "end_time is not after start_time")
      }
      guard let headway = integer(reader, columns.headway), (1...86_400).contains(headway) else {
        return Rejection(
          .value,
          column: columns.headway,
          reason: "headway_secs \(shown(reader, columns.headway)) is not between 1 and 86,400"
        )
      }
      let runs = (Int(end) - Int(start) + headway - 1) / headway
      let all = tables.frequencyRuns[trip, default: 0] + runs
      guard all <= FeedLimits.runsPerTrip else {
        return Rejection(
          .limit,
          column: columns.headway,
          reason: "trip_id \(shown(reader, columns.trip)) would depart \(all) times;"
            + " at most \(FeedLimits.runsPerTrip) departures of one trip are imported"
        )
      }
      tables.frequencyRuns[trip] = all
      tables.runCount += runs
      tables.frequencyRowCount += 1
      tables.frequencies[trip, default: []].append(
        FrequencyRow(
          start: start,
          end: end,
          headway: Int32(headway),
          isExact: integer(reader, columns.exact) == 1,
          line: reader.line
        )
      )
      return nil
    }
  }
}
