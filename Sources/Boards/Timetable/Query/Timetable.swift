package import Foundation
package import GTFS

/// A timetable, read directly from its mapped file, from any number of threads.
///
/// Texts are returned as bytes of the mapping; they are valid as long as the timetable is.
package final class Timetable: Sendable {
  /// The number of a stop, in the order of stops.txt.
  package typealias Stop = UInt32
  /// The number of a trip, or of one run of a frequency.
  package typealias Trip = UInt32

  /// The metadata of the file.
  package var metadata: TimetableMetadata { image.metadata }
  /// The agency's time zone; the first one if the agencies have several.
  package var zone: TimeZone { zones.all[0] }
  /// The zones, and the instants at which service days begin in them.
  let zones: TimetableZones
  let image: TimetableImage
  /// The languages of the translations with their text numbers.
  private let languages: [(tag: String, text: UInt32)]

  /// Opens a timetable file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - checkingContents: Whether every byte is compared with its checksum (some 20 ms for 100 MB
  ///     that are in memory).
  /// - Throws: ``FeedError`` with code `unreadable`, `damagedTimetable` or `unknownTimeZone`.
  package init(path: String, checkingContents: Bool = true) throws(FeedError) {
    image = try TimetableImage(path: path, checkingContents: checkingContents)
    guard (0...FeedLimits.serviceDays).contains(image.metadata.dayCount) else {
      throw FeedError(
        .damagedTimetable,
        "\(path): \(image.metadata.dayCount) days of service"
      )
    }
    let image = image
    languages = Set(image.translations.map(\.language)).sorted().compactMap { text in
      Int(text) < image.textStarts.count - 1
        ? (String(decoding: image.text(text), as: UTF8.self).lowercased(), text) : nil
    }
    .sorted { $0.0 < $1.0 }
    zones = try TimetableZones(image, path: path)
  }

  // MARK: Counts

  /// The number of stops, platforms, stations and entrances.
  package var stopCount: Int { image.stops.count }
  /// The number of trips, each run of a frequency counted.
  package var tripCount: Int { image.trips.count }
  /// The number of routes.
  package var routeCount: Int { image.routes.count }
  /// The number of departures of all stops.
  package var departureCount: Int { image.departures.count }

  // MARK: Stops

  /// The stop with an id.
  package func stop(id: String) -> Stop? {
    find(id, among: image.stopsById) { image.text(image.stops[Int($0)].id) }
  }

  /// The stop with an original id (Swiss feeds carry the SLOID there).
  package func stop(originalId: String) -> Stop? {
    find(originalId, among: image.stopsByOriginalId) { image.text(image.stops[Int($0)].originalId) }
  }

  /// The station that a Swiss id of any year's shape belongs to (``SwissStopId``).
  package func station(swissId: String) -> Stop? {
    guard let number = SwissStopId.stationNumber(swissId) else { return nil }
    var low = 0
    var high = image.stopNumbers.count
    while low < high {
      let middle = (low + high) / 2
      if image.stopNumbers[middle].number < number { low = middle + 1 } else { high = middle }
    }
    guard low < image.stopNumbers.count, image.stopNumbers[low].number == number else { return nil }
    return image.stopNumbers[low].stop
  }

  private func find(
    _ id: String,
    among order: UnsafeBufferPointer<UInt32>,
    text: (UInt32) -> UnsafeRawBufferPointer
  ) -> UInt32? {
    var id = id
    return id.withUTF8 { bytes in
      let wanted = UnsafeRawBufferPointer(bytes)
      var low = 0
      var high = order.count
      while low < high {
        let middle = (low + high) / 2
        if ByteOrder.precedes(text(order[middle]), wanted) {
          low = middle + 1
        } else {
          high = middle
        }
      }
      guard low < order.count, ByteOrder.compare(text(order[low]), wanted) == 0 else { return nil }
      return order[low]
    }
  }

  /// stop_id.
  package func id(of stop: Stop) -> UnsafeRawBufferPointer { image.text(image.stops[Int(stop)].id) }
  /// stop_name, or its replacement.
  package func name(of stop: Stop) -> UnsafeRawBufferPointer {
    image.text(image.stops[Int(stop)].name)
  }
  /// stop_code; empty if the feed gives none.
  package func code(of stop: Stop) -> UnsafeRawBufferPointer {
    image.text(image.stops[Int(stop)].code)
  }
  /// stop_timezone; empty if the feed gives none.
  package func zoneName(of stop: Stop) -> UnsafeRawBufferPointer {
    image.text(image.stops[Int(stop)].zone)
  }
  /// platform_code; empty if the feed gives none.
  package func platformCode(of stop: Stop) -> UnsafeRawBufferPointer {
    image.text(image.stops[Int(stop)].platform)
  }
  /// The parent_station.
  package func parent(of stop: Stop) -> Stop? {
    let parent = image.stops[Int(stop)].parent
    return parent == noRecord ? nil : parent
  }
  /// The top-most ancestor: the station, or the stop itself.
  package func station(of stop: Stop) -> Stop { image.stops[Int(stop)].root }
  /// location_type.
  package func locationType(of stop: Stop) -> UInt8 { image.stops[Int(stop)].locationType }
  /// Degrees north and east; `nil` if the feed gives none.
  package func coordinate(of stop: Stop) -> (latitude: Double, longitude: Double)? {
    let record = image.stops[Int(stop)]
    guard record.latitude != .min else { return nil }
    return (Double(record.latitude) / 1e7, Double(record.longitude) / 1e7)
  }
  /// How many departures the timetable holds for a stop and all stops below it.
  package func departureCount(of stop: Stop) -> Int {
    servedStops(of: stop).reduce(0) { count, served in
      count + places(of: served).count
    }
  }
  /// Where the departures of a stop are among those of the timetable.
  func places(of served: Stop) -> Range<Int> {
    Int(image.departureStarts[Int(served)])..<Int(image.departureStarts[Int(served) + 1])
  }
  /// The stop itself and all stops below it, those that have departures.
  package func servedStops(of stop: Stop) -> Slice<UnsafeBufferPointer<UInt32>> {
    let start = Int(image.descendantStarts[Int(stop)])
    return image.descendants[start..<Int(image.descendantStarts[Int(stop) + 1])]
  }

  // MARK: Days

  /// The first and last day on which something runs.
  package var firstDay: ServiceDate { ServiceDate(daysSinceEpoch: metadata.firstDay) }
  /// See ``firstDay``.
  package var lastDay: ServiceDate { firstDay + (metadata.dayCount - 1) }

  // MARK: Translations

  /// The text number of a language tag; `nil` if nothing is translated into it.
  package func language(_ tag: String) -> UInt32? {
    let asked = tag.lowercased()
    let exact = languages.first { $0.tag == asked }
    return (exact ?? languages.first { Self.isRegion($0.tag, of: asked) })?.text
  }

  /// `fr-ch` is a region of `fr`.
  private static func isRegion(_ offered: String, of asked: String) -> Bool {
    offered.hasPrefix(asked + "-")
  }

  /// A text's translation, by value.
  func translation(_ field: TranslatedField, text: UInt32, _ language: UInt32?) -> UInt32? {
    guard let language else { return nil }
    return translation(field: field.rawValue, key: text, language)
  }

  /// A record's translation, by record first and then by value.
  func translation(
    _ field: TranslatedField,
    record: UInt32,
    text: UInt32,
    _ language: UInt32?
  ) -> UInt32? {
    guard let language else { return nil }
    return translation(field: field.byRecord, key: record, language)
      ?? translation(field: field.rawValue, key: text, language)
  }

  private func translation(field: UInt32, key: UInt32, _ language: UInt32) -> UInt32? {
    let wanted = TranslationRecord(field: field, key: key, language: language, text: 0)
    var low = 0
    var high = image.translations.count
    while low < high {
      let middle = (low + high) / 2
      if TranslationRecord.precedes(image.translations[middle], wanted) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low < image.translations.count else { return nil }
    let found = image.translations[low]
    return found.field == field && found.key == key && found.language == language
      ? found.text : nil
  }

  /// A stop's name in a language, or as the feed names it.
  package func name(of stop: Stop, language: UInt32?) -> UnsafeRawBufferPointer {
    let name = image.stops[Int(stop)].name
    return image.text(translation(.stopName, record: stop, text: name, language) ?? name)
  }
}

extension Timetable {
  /// The version of the file format that this program writes and reads.
  package static var fileVersion: Int { Int(TimetableHeader.currentVersion) }
}
