import Foundation
import GTFS

/// agency.txt, feed_info.txt, stops.txt and transfers.txt.
extension FeedReader {
  func readAgencies() throws(FeedError) {
    struct Columns {
      var id: Int?
      var name: Int
      var zone: Int
      var language: Int?
    }
    // An agency whose zone is not one has that of the others, if they have one.
    var failure: FeedError?
    try read(.agency) { reader throws(FeedError) in
      Columns(
        id: reader.column("agency_id"),
        name: try reader.required("agency_name"),
        zone: try reader.required("agency_timezone"),
        language: reader.column("agency_lang")
      )
    } row: { reader, columns throws(FeedError) in
      let zone = String(decoding: reader.bytes(columns.zone), as: UTF8.self)
      let isZone = reader.bytes(columns.zone).count <= Self.longestZone && Self.isZone(zone)
      if !isZone {
        let reason = "\(shown(reader, columns.zone)) is not a time zone"
        warn(reader, columns.zone, reason)
        failure =
          failure
          ?? FeedError(
            .unknownTimeZone,
            "agency.txt, line \(reader.line), column agency_timezone: \(reason)"
          )
      }
      guard reader.bytes(columns.id).count <= FeedLimits.textBytes else {
        return Rejection(.identifier, column: columns.id, reason: "agency_id is too long")
      }
      guard withStored(reader.bytes(columns.id), { tables.agencyIds.insert($0) }).isNew else {
        return Rejection(
          .duplicate,
          column: columns.id,
          reason: "agency_id \(shown(reader, columns.id)) appears twice"
        )
      }
      if tables.agencyLanguage == nil {
        let language = String(decoding: reader.bytes(columns.language), as: UTF8.self)
        tables.agencyLanguage = language.isEmpty ? nil : language
      }
      tables.agencyZones.append(isZone ? try place(ofZone: zone, reader.line) : 0)
      tables.agencies.append(
        AgencyRecord(id: text(reader, columns.id), name: text(reader, columns.name))
      )
      return nil
    }
    guard !tables.agencies.isEmpty else {
      throw FeedError(.invalid, "agency.txt: there is no agency" + rejections)
    }
    if tables.timeZone.isEmpty, let failure { throw failure }
  }

  /// The place of an agency's time zone among those of the feed.
  private func place(ofZone zone: String, _ line: Int) throws(FeedError) -> UInt8 {
    if let place = tables.timeZones.firstIndex(of: zone) { return UInt8(place) }
    guard tables.timeZones.count < FeedLimits.timeZones else {
      throw FeedError(
        .limitExceeded,
        "agency.txt, line \(line): more than \(FeedLimits.timeZones) time zones"
      )
    }
    tables.timeZones.append(zone)
    return UInt8(tables.timeZones.count - 1)
  }

  /// The most bytes of a name of the time zone database; the longest one has 32.
  private static let longestZone = 64

  /// Whether a name is one of the time zone database, which browsers know too.
  ///
  /// Foundation also reads offsets such as `GMT+5`; no other reader of the answers does.
  private static func isZone(_ name: String) -> Bool {
    let isOffset = ["GMT", "UTC"].contains { name.hasPrefix($0) && name.count > 3 }
    return !name.isEmpty && !isOffset && TimeZone(identifier: name) != nil
  }

  func readFeedInfo() throws(FeedError) {
    struct Columns {
      var publisher: Int?
      var version: Int?
      var language: Int?
      var defaultLanguage: Int?
    }
    try read(.feedInfo) { reader in
      Columns(
        publisher: reader.column("feed_publisher_name"),
        version: reader.column("feed_version"),
        language: reader.column("feed_lang"),
        defaultLanguage: reader.column("default_lang")
      )
    } row: { [self] reader, columns in
      func value(_ column: Int?) -> String? {
        let number = text(reader, column)
        let value = tables.texts.text(number)
        return value.isEmpty ? nil : value
      }
      tables.publisher = tables.publisher ?? value(columns.publisher)
      tables.version = tables.version ?? value(columns.version)
      let language = value(columns.language).flatMap { $0 == "mul" ? nil : $0 }
      tables.language = tables.language ?? value(columns.defaultLanguage) ?? language
      return nil
    }
  }

  func readStops() throws(FeedError) {
    struct Columns {
      var id: Int
      var name: Int?
      var latitude: Int?
      var longitude: Int?
      var type: Int?
      var parent: Int?
      var platform: Int?
      var zone: Int?
      var code: Int?
      var originalId: Int?
      var wheelchair: Int?
    }
    var parents: [(stop: Int, line: Int, parent: UInt32)] = []
    var parentIds = ByteTable()
    try read(.stops) { reader throws(FeedError) in
      Columns(
        id: try reader.required("stop_id"),
        name: reader.column("stop_name"),
        latitude: reader.column("stop_lat"),
        longitude: reader.column("stop_lon"),
        type: reader.column("location_type"),
        parent: reader.column("parent_station"),
        platform: reader.column("platform_code"),
        zone: reader.column("stop_timezone"),
        code: reader.column("stop_code"),
        originalId: reader.column("original_stop_id"),
        wheelchair: reader.column("wheelchair_boarding")
      )
    } row: { reader, columns throws(FeedError) in
      let id = reader.bytes(columns.id)
      guard id.count > 0, id.count <= FeedLimits.textBytes else {
        return Rejection(.identifier, column: columns.id, reason: "stop_id is blank or too long")
      }
      guard withStored(id, { tables.stopIds.insert($0) }).isNew else {
        return Rejection(
          .duplicate,
          column: columns.id,
          reason: "stop_id \(shown(reader, columns.id)) appears twice"
        )
      }
      guard tables.stops.count < FeedLimits.entities else {
        throw FeedError(.limitExceeded, "stops.txt: more than \(FeedLimits.entities) stops")
      }
      let type = integer(reader, columns.type) ?? 0
      if !(0...4).contains(type) { warn(reader, columns.type, "location_type is not 0 to 4") }
      let latitude = coordinate(reader, columns.latitude, 90)
      let longitude = coordinate(reader, columns.longitude, 180)
      if (latitude == nil || longitude == nil) && type < 3 {
        warn(reader, columns.latitude, "stop_lat and stop_lon are not coordinates")
      }
      let parent = reader.bytes(columns.parent)
      if parent.count > FeedLimits.textBytes {
        warn(reader, columns.parent, "\(shown(reader, columns.parent)) is not a stop")
      } else if parent.count > 0 {
        let before = parentIds.keptBytes
        parents.append((tables.stops.count, reader.line, parentIds.insert(parent).number))
        scratchBytes += 24 + parentIds.keptBytes - before
      }
      // Whitespace in quotes is a field, but not a name.
      let isNameless = reader.bytes(columns.name).allSatisfy { $0 <= 0x20 }
      let name = isNameless ? 0 : text(reader, columns.name)
      let number = UInt32(tables.stops.count)
      let isPlaced = latitude != nil && longitude != nil
      tables.stops.append(
        StopRecord(
          id: text(reader, columns.id),
          name: name,
          platform: text(reader, columns.platform),
          parent: noRecord,
          root: number,
          zone: zone(reader, columns.zone),
          code: text(reader, columns.code),
          originalId: text(reader, columns.originalId),
          latitude: isPlaced ? latitude ?? .min : .min,
          longitude: isPlaced ? longitude ?? .min : .min,
          locationType: UInt8(clamping: (0...4).contains(type) ? type : 0),
          wheelchairBoarding: UInt8(clamping: integer(reader, columns.wheelchair) ?? 0)
        )
      )
      return nil
    }
    connect(parents, parentIds)
  }

  /// A stop's own time zone; the agency's if that does not exist.
  private func zone(_ reader: CSVReader, _ column: Int?) -> UInt32 {
    let bytes = reader.bytes(column)
    guard bytes.count > 0 else { return 0 }
    let name = String(decoding: bytes, as: UTF8.self)
    if let known = zones[name] { return known ? text(reader, column) : 0 }
    let isZone = bytes.count <= Self.longestZone && Self.isZone(name)
    if bytes.count <= Self.longestZone {
      zones[name] = isZone
      scratchBytes += 96
    }
    if isZone { return text(reader, column) }
    warn(reader, column, "\(shown(reader, column)) is not a time zone")
    return 0
  }

  /// Degrees times 10⁷; `nil` if the field is not a number within ±`limit`.
  private func coordinate(_ reader: CSVReader, _ column: Int?, _ limit: Double) -> Int32? {
    let bytes = reader.bytes(column)
    guard bytes.count > 0 else { return nil }
    var digits = String(decoding: bytes, as: UTF8.self)
    // Programs that separate fields by semicolons do so because they write 47,5 for 47.5.
    if reader.separator != CSVReader.comma { digits = digits.replacing(",", with: ".") }
    guard let value = Double(digits) else { return nil }
    guard value.isFinite, abs(value) <= limit else { return nil }
    return Int32((value * 1e7).rounded())
  }

  private func connect(
    _ parents: [(stop: Int, line: Int, parent: UInt32)],
    _ parentIds: ByteTable
  ) {
    func remark(_ line: Int, _ reason: String) {
      warn(file: .stops, line: line, column: "parent_station", reason: reason)
    }
    for (stop, line, parent) in parents {
      parentIds.withBytes(of: parent) { id in
        if let number = find(id, in: tables.stopIds) {
          tables.stops[stop].parent = number
        } else {
          remark(line, "parent_station \(Self.shown(id)) is not a stop")
        }
      }
    }
    let deepest = 8
    for (stop, line, _) in parents {
      var root = UInt32(stop)
      var depth = 0
      while tables.stops[Int(root)].parent != noRecord, depth <= deepest {
        root = tables.stops[Int(root)].parent
        depth += 1
      }
      guard depth <= deepest else {
        remark(line, "parent_station runs in a circle or deeper than \(deepest)")
        tables.stops[stop].parent = noRecord
        continue
      }
    }
    for stop in tables.stops.indices {
      var root = stop
      while tables.stops[root].parent != noRecord { root = Int(tables.stops[root].parent) }
      tables.stops[stop].root = UInt32(root)
    }
    // A stop without a name is called like its parent, or like its id.
    var nameless = ServiceSummary.Names()
    for stop in tables.stops.indices where tables.stops[stop].name == 0 {
      let parent = tables.stops[stop].parent
      let inherited = parent == noRecord ? 0 : tables.stops[Int(parent)].name
      tables.stops[stop].name = inherited != 0 ? inherited : tables.stops[stop].id
      // Boards are of stations and of stops without one; entrances, nodes and boarding areas have none.
      if parent == noRecord, tables.stops[stop].locationType < 2 {
        nameless.add(tables.texts.text(tables.stops[stop].id))
      }
    }
    if nameless.count > 0 { report.namelessStations = nameless }
  }
}
