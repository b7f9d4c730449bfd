import Foundation
import GTFS
import Hashing

/// The sections of a mapped timetable file as typed arrays that are never copied.
struct TimetableImage: Sendable {
  let file: MappedFile
  let metadata: TimetableMetadata
  nonisolated(unsafe) let textStarts: UnsafeBufferPointer<UInt32>
  nonisolated(unsafe) let textBytes: UnsafeRawBufferPointer
  nonisolated(unsafe) let textPlaces: UnsafeBufferPointer<UInt32>
  nonisolated(unsafe) let agencies: UnsafeBufferPointer<AgencyRecord>
  nonisolated(unsafe) let stops: UnsafeBufferPointer<StopRecord>
  nonisolated(unsafe) let stopsById: UnsafeBufferPointer<UInt32>
  nonisolated(unsafe) let stopsByOriginalId: UnsafeBufferPointer<UInt32>
  nonisolated(unsafe) let stopNumbers: UnsafeBufferPointer<StopNumberRecord>
  nonisolated(unsafe) let descendantStarts: UnsafeBufferPointer<UInt32>
  nonisolated(unsafe) let descendants: UnsafeBufferPointer<UInt32>
  nonisolated(unsafe) let routes: UnsafeBufferPointer<RouteRecord>
  nonisolated(unsafe) let patterns: UnsafeBufferPointer<PatternRecord>
  nonisolated(unsafe) let patternStops: UnsafeBufferPointer<UInt32>
  nonisolated(unsafe) let patternSequences: UnsafeBufferPointer<UInt32>
  nonisolated(unsafe) let patternAttributes: UnsafeBufferPointer<StopTimeAttributes>
  nonisolated(unsafe) let patternHeadsigns: UnsafeBufferPointer<UInt32>
  nonisolated(unsafe) let profileTimes: UnsafeBufferPointer<ProfileTime>
  nonisolated(unsafe) let trips: UnsafeBufferPointer<TripRecord>
  nonisolated(unsafe) let tripIdStarts: UnsafeBufferPointer<UInt32>
  nonisolated(unsafe) let tripIdBytes: UnsafeRawBufferPointer
  nonisolated(unsafe) let daySets: UnsafeBufferPointer<UInt64>
  nonisolated(unsafe) let departureStarts: UnsafeBufferPointer<UInt32>
  nonisolated(unsafe) let departures: UnsafeBufferPointer<DepartureEntry>
  nonisolated(unsafe) let translations: UnsafeBufferPointer<TranslationRecord>
  nonisolated(unsafe) let continuations: UnsafeBufferPointer<ContinuationRecord>
  nonisolated(unsafe) let continuationsByTarget: UnsafeBufferPointer<UInt32>

  /// Maps a timetable file and verifies header, table of contents and, on request, every checksum.
  ///
  /// - Throws: ``FeedError`` with code `unreadable` or `damagedTimetable`.
  init(path: String, checkingContents: Bool) throws(FeedError) {
    let file = try MappedFile(path: path)
    let table = try TableOfContents(file.bytes, path: path, checkingContents: checkingContents)
    self.file = file
    let json = try table.bytes(.metadata)
    do {
      metadata = try JSONDecoder().decode(TimetableMetadata.self, from: Data(json))
    } catch {
      throw FeedError(.damagedTimetable, "\(path): the metadata cannot be read: \(error)")
    }
    textStarts = try table.section(.textStarts)
    textBytes = try table.bytes(.textBytes)
    textPlaces = try table.section(.textPlaces)
    agencies = try table.section(.agencies)
    stops = try table.section(.stops)
    stopsById = try table.section(.stopsById)
    stopsByOriginalId = try table.section(.stopsByOriginalId)
    stopNumbers = try table.section(.stopNumbers)
    descendantStarts = try table.section(.descendantStarts)
    descendants = try table.section(.descendants)
    routes = try table.section(.routes)
    patterns = try table.section(.patterns)
    patternStops = try table.section(.patternStops)
    patternSequences = try table.section(.patternSequences)
    patternAttributes = try table.section(.patternAttributes)
    patternHeadsigns = try table.section(.patternHeadsigns)
    profileTimes = try table.section(.profileTimes)
    trips = try table.section(.trips)
    tripIdStarts = try table.section(.tripIdStarts)
    tripIdBytes = try table.bytes(.tripIdBytes)
    daySets = try table.section(.daySets)
    departureStarts = try table.section(.departureStarts)
    departures = try table.section(.departures)
    translations = try table.section(.translations)
    continuations = try table.section(.continuations)
    continuationsByTarget = try table.section(.continuationsByTarget)
  }

  /// Words of one set of days.
  var daySetStride: Int { (metadata.dayCount + 63) / 64 }

  /// The bytes of a text.
  @inline(__always)
  func text(_ number: UInt32) -> UnsafeRawBufferPointer {
    let start = Int(textStarts[Int(number)])
    return UnsafeRawBufferPointer(
      rebasing: textBytes[start..<Int(textStarts[Int(number) + 1])]
    )
  }

  /// The bytes of a trip's id.
  @inline(__always)
  func tripId(_ number: UInt32) -> UnsafeRawBufferPointer {
    let start = Int(tripIdStarts[Int(number)])
    return UnsafeRawBufferPointer(
      rebasing: tripIdBytes[start..<Int(tripIdStarts[Int(number) + 1])]
    )
  }

  /// Whether a set contains a day, counted from the first day of service.
  @inline(__always)
  func daySet(_ set: UInt32, contains day: Int) -> Bool {
    guard day >= 0, day < metadata.dayCount else { return false }
    return daySets[Int(set) * daySetStride + day >> 6] >> UInt64(day & 63) & 1 == 1
  }
}

/// The table of contents of a timetable file, checked.
private struct TableOfContents {
  private let file: UnsafeRawBufferPointer
  private let path: String
  private var entries: [UInt32: TimetableContents] = [:]

  init(_ file: UnsafeRawBufferPointer, path: String, checkingContents: Bool) throws(FeedError) {
    self.file = file
    self.path = path
    func damaged(_ reason: String) -> FeedError {
      FeedError(.damagedTimetable, "\(path): \(reason)")
    }
    let headerSize = MemoryLayout<TimetableHeader>.stride
    guard file.count >= headerSize else { throw damaged("shorter than its header") }
    let header = file.loadUnaligned(as: TimetableHeader.self)
    guard header.magic == TimetableHeader.magic else { throw damaged("not a timetable file") }
    guard (TimetableHeader.oneZoneVersion...TimetableHeader.currentVersion).contains(header.version)
    else {
      throw damaged(
        "version \(header.version); this program reads versions \(TimetableHeader.oneZoneVersion) to \(TimetableHeader.currentVersion):"
          + " import the feed again"
      )
    }
    guard header.ownChecksum == header.headerChecksum else { throw damaged("damaged header") }
    guard header.fileLength == UInt64(file.count) else {
      throw damaged(
        "\(file.count) bytes long instead of \(header.fileLength); restore it from a backup, or import the feed again"
      )
    }
    let size = Int(header.sectionCount) * MemoryLayout<TimetableContents>.stride
    guard header.sectionCount < 1_000, headerSize + size <= file.count else {
      throw damaged("damaged table of contents")
    }
    let table = UnsafeRawBufferPointer(rebasing: file[headerSize..<headerSize + size])
    guard XXH64.hash(table) == header.contentsChecksum else {
      throw damaged("damaged table of contents")
    }
    for index in 0..<Int(header.sectionCount) {
      let entry = table.loadUnaligned(
        fromByteOffset: index * MemoryLayout<TimetableContents>.stride,
        as: TimetableContents.self
      )
      let (length, overflow) = entry.count.multipliedReportingOverflow(by: UInt64(entry.stride))
      guard
        !overflow, entry.offset % 64 == 0, entry.offset <= UInt64(file.count),
        length <= UInt64(file.count) - entry.offset
      else { throw damaged("section \(entry.section) does not lie in the file") }
      entries[entry.section] = entry
      if checkingContents {
        let range = Int(entry.offset)..<Int(entry.offset + length)
        guard XXH64.hash(UnsafeRawBufferPointer(rebasing: file[range])) == entry.checksum else {
          throw damaged("section \(entry.section) is damaged (checksum)")
        }
      }
    }
    guard checkingContents else { return }
    // Between two sections there is nothing but zeros.
    var position = headerSize + size
    for entry in entries.values.sorted(by: { $0.offset < $1.offset }) {
      while position < Int(entry.offset) {
        guard file[position] == 0 else { throw damaged("damaged between two sections") }
        position += 1
      }
      position = max(position, Int(entry.offset + entry.count * UInt64(entry.stride)))
    }
  }

  /// The elements of a section.
  func section<Element: BitwiseCopyable>(
    _ section: TimetableSection
  ) throws(FeedError) -> UnsafeBufferPointer<Element> {
    if section.isOptional, entries[section.rawValue] == nil {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    guard
      let entry = entries[section.rawValue],
      Int(entry.stride) == MemoryLayout<Element>.stride
    else {
      throw FeedError(.damagedTimetable, "\(path): the section \(section) is missing or misshapen")
    }
    let start = file.baseAddress?.advanced(by: Int(entry.offset))
    return UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: Element.self),
      count: Int(entry.count)
    )
  }

  /// The bytes of a section.
  func bytes(_ section: TimetableSection) throws(FeedError) -> UnsafeRawBufferPointer {
    let bytes: UnsafeBufferPointer<UInt8> = try self.section(section)
    return UnsafeRawBufferPointer(bytes)
  }
}
