import Foundation
import GTFS

/// booking_rules.txt, location_group_stops.txt and locations.geojson: where and how services on demand can be had.
///
/// No board needs them to be right: what is wrong in them is left out with a warning.
extension FeedReader {
  /// The columns of stop_times.txt that say it.
  struct OnDemandColumns {
    var location: Int?
    var group: Int?
    var opens: Int?
    var closes: Int?
    var rule: Int?

    init(_ reader: CSVReader) {
      location = reader.column("location_id")
      group = reader.column("location_group_id")
      opens = reader.column("start_pickup_drop_off_window")
      closes = reader.column("end_pickup_drop_off_window")
      rule = reader.column("pickup_booking_rule_id")
    }

    /// Any of these makes a row one of a service on demand.
    var telling: [Int] { [location, group, opens, closes].compactMap(\.self) }
  }

  func readBookingRules() throws(FeedError) {
    struct Columns {
      var id: Int
      var notice, lastDay, lastTime, service: Int?
      var message, pickupMessage, phone, info, booking: Int?
    }
    try read(.bookingRules) { reader throws(FeedError) in
      Columns(
        id: try reader.required("booking_rule_id"),
        notice: reader.column("prior_notice_duration_min"),
        lastDay: reader.column("prior_notice_last_day"),
        lastTime: reader.column("prior_notice_last_time"),
        service: reader.column("prior_notice_service_id"),
        message: reader.column("message"),
        pickupMessage: reader.column("pickup_message"),
        phone: reader.column("phone_number"),
        info: reader.column("info_url"),
        booking: reader.column("booking_url")
      )
    } row: { reader, columns throws(FeedError) in
      let id = string(reader, columns.id)
      guard !id.isEmpty, onDemand.ruleNumbers[id] == nil else {
        let id = shown(reader, columns.id)
        warn(reader, columns.id, "booking_rule_id \(id) is blank or appears twice")
        return nil
      }
      guard onDemand.rules.count < OnDemandLimits.services else { return nil }
      var rule = OnDemandServices.Rule()
      rule.noticeSeconds = positive(reader, columns.notice).map { $0 * 60 }
      rule.lastDay = positive(reader, columns.lastDay)
      if case .seconds(let seconds) = TimeOfDay.read(reader.bytes(columns.lastTime)) {
        rule.lastTime = Int(seconds)
      }
      rule.message = [columns.pickupMessage, columns.message].map { string(reader, $0) }
        .first { !$0.isEmpty }.map { String($0.prefix(OnDemandLimits.message)) }
      let phone = string(reader, columns.phone)
      rule.phone = phone.isEmpty ? nil : String(phone.prefix(OnDemandLimits.message))
      rule.infoURL = link(reader, columns.info)
      rule.bookingURL = link(reader, columns.booking)
      if rule.lastDay != nil, reader.bytes(columns.service).count > 0 {
        if let service = find(reader.bytes(columns.service), in: tables.serviceIds) {
          onDemand.noticeServices[onDemand.rules.count] = service
        } else {
          let name = shown(reader, columns.service)
          warn(reader, columns.service, "\(name) is not a service; all days before a ride count")
        }
      }
      onDemand.ruleNumbers[id] = onDemand.rules.count
      onDemand.rules.append(rule)
      return nil
    }
  }

  func readLocationGroups() throws(FeedError) {
    var count = 0
    try read(.locationGroupStops) { reader throws(FeedError) in
      (try reader.required("location_group_id"), try reader.required("stop_id"))
    } row: { reader, columns throws(FeedError) in
      guard let stop = find(reader.bytes(columns.1), in: tables.stopIds) else {
        warn(reader, columns.1, "\(shown(reader, columns.1)) is not a stop")
        return nil
      }
      count += 1
      guard count <= OnDemandLimits.stops else { return nil }
      onDemand.groups[string(reader, columns.0), default: []].append(stop)
      return nil
    }
  }

  /// Notes a row of a service on demand where people may board.
  func noteOnDemand(
    _ reader: CSVReader,
    trip: UInt32,
    stop: Int,
    pickup: Int?,
    _ columns: OnDemandColumns
  ) {
    guard integer(reader, pickup) != 1,
      case .seconds(let opens) = TimeOfDay.read(reader.bytes(columns.opens)),
      case .seconds(let closes) = TimeOfDay.read(reader.bytes(columns.closes)), opens < closes
    else { return }
    let (location, group) = (string(reader, columns.location), string(reader, columns.group))
    let place: OnDemandTables.Place
    if !location.isEmpty {
      place = .zone(location)
    } else if !group.isEmpty {
      place = .group(group)
    } else if let known = find(reader.bytes(stop), in: tables.stopIds) {
      place = .stop(known)
    } else {
      // The draft of before 2024 has zones there.
      place = .zone(string(reader, stop))
    }
    let offer = OnDemandTables.Offer(
      route: tables.trips.routes[Int(trip)],
      service: tables.trips.services[Int(trip)],
      opens: opens,
      closes: closes,
      rule: onDemand.ruleNumbers[string(reader, columns.rule)] ?? -1
    )
    if !onDemand.add(offer, at: place), !onDemandIsFull {
      onDemandIsFull = true
      warn(reader, stop, "more services on demand than boards name; left out")
    }
  }

  /// Notes how a departure with a time is booked that has to be arranged.
  func noteCall(_ reader: CSVReader, trip: UInt32, stop: UInt32, _ columns: OnDemandColumns) {
    guard let rule = onDemand.ruleNumbers[string(reader, columns.rule)] else { return }
    onDemand.call(tables.trips.routes[Int(trip)], at: stop, rule: rule)
  }

  /// Finds the stops in the zones that services name.
  func readZones() throws(FeedError) {
    guard let size = source.size(of: .locations) else { return }
    func leftOut(_ reason: String) {
      warn(file: .locations, line: 1, column: nil, reason: "left out: \(reason)")
    }
    guard size > 0 else { return leftOut("the file is empty") }
    let wanted = onDemand.namedZones
    guard !wanted.isEmpty else { return }
    guard size <= OnDemandLimits.zoneBytes else {
      return leftOut("\(size) bytes; the limit is \(OnDemandLimits.zoneBytes)")
    }
    guard let opened = try source.open(.locations) else { return }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size + 1, alignment: 1)
    defer { bytes.deallocate() }
    var length = 0
    while length < bytes.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[length...])
      let count = try opened.read(into: rest)
      if count == 0 { break }
      length += count
    }
    let text = Data(bytes.prefix(length))
    guard let zones = try? JSONDecoder().decode(ZoneFile.self, from: text)
    else { return leftOut("it is not GeoJSON with polygons") }
    var work = OnDemandLimits.comparisons
    for zone in zones.features where wanted.contains(zone.id) {
      for (number, stop) in tables.stops.enumerated()
      where stop.locationType == 0 && stop.latitude != .min {
        guard work > 0 else { return leftOut("too many stops and corners to compare") }
        let (x, y) = (Double(stop.longitude) / 1e7, Double(stop.latitude) / 1e7)
        if zone.contains(x, y, &work) {
          onDemand.zones[zone.id, default: []].append(UInt32(number))
        }
      }
    }
  }

  private func string(_ reader: CSVReader, _ column: Int?) -> String {
    let number = text(reader, column)
    return tables.texts.withBytes(of: number) { String(decoding: $0, as: UTF8.self) }
  }

  private func positive(_ reader: CSVReader, _ column: Int?) -> Int? {
    integer(reader, column).flatMap { (0...1 << 24).contains($0) ? $0 : nil }
  }

  private func link(_ reader: CSVReader, _ column: Int?) -> String? {
    let text = string(reader, column)
    return ["http://", "https://"].contains { text.lowercased().hasPrefix($0) } ? text : nil
  }
}

/// locations.geojson.
private struct ZoneFile: Decodable {
  var features: [Zone]
}

/// A zone: rings of corners, whose inside is found by an even-odd count.
private struct Zone: Decodable {
  var id: String
  private var rings: [[[Double]]]
  private var low = [Double.infinity, Double.infinity]
  private var high = [-Double.infinity, -Double.infinity]

  private enum CodingKeys: String, CodingKey { case id, geometry }
  private enum GeometryKeys: String, CodingKey { case type, coordinates }

  init(from decoder: any Decoder) throws {
    let feature = try decoder.container(keyedBy: CodingKeys.self)
    id = try feature.decode(String.self, forKey: .id)
    let geometry = try feature.nestedContainer(keyedBy: GeometryKeys.self, forKey: .geometry)
    if try geometry.decode(String.self, forKey: .type) == "MultiPolygon" {
      rings = try geometry.decode([[[[Double]]]].self, forKey: .coordinates).flatMap(\.self)
    } else {
      rings = try geometry.decode([[[Double]]].self, forKey: .coordinates)
    }
    for ring in rings {
      for corner in ring {
        guard corner.count >= 2 else { throw CocoaError(.coderReadCorrupt) }
        for axis in 0...1 {
          low[axis] = min(low[axis], corner[axis])
          high[axis] = max(high[axis], corner[axis])
        }
      }
    }
  }

  /// Whether a place is inside; counts the edges that were compared.
  func contains(_ x: Double, _ y: Double, _ work: inout Int) -> Bool {
    work -= 1
    guard low[0] <= x, x <= high[0], low[1] <= y, y <= high[1] else { return false }
    var isInside = false
    for ring in rings {
      work -= ring.count
      guard var before = ring.last else { continue }
      for corner in ring {
        if (corner[1] > y) != (before[1] > y),
          x < (before[0] - corner[0]) * (y - corner[1]) / (before[1] - corner[1]) + corner[0]
        {
          isInside.toggle()
        }
        before = corner
      }
    }
    return isInside
  }
}
