import GTFS
import GTFSRealtime
import Timetable

/// A digest of what people see of a board, the same in every run of the program.
///
/// Fed with all that is rendered except for clocks, ages and source times: boards that look the same have
/// the same digest, whatever they were made of.
struct VisibleContent {
  private var parts: [UInt64] = []

  /// Adds rendered bytes, with their number.
  mutating func add(_ bytes: [UInt8]) {
    let digest = FeedDigest(bytes)
    parts.append(digest.hash)
    parts.append(UInt64(digest.count))
  }

  /// Adds rendered bytes without some of them.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - gaps: The places that are left out, ascending.
  mutating func add(_ bytes: [UInt8], without gaps: [Range<Int>]) {
    bytes.withUnsafeBytes { all in
      var start = 0
      for gap in gaps + [all.count..<all.count] {
        let part = UnsafeRawBufferPointer(rebasing: all[start..<gap.lowerBound])
        parts.append(FeedDigest(part).hash)
        parts.append(UInt64(part.count))
        start = gap.upperBound
      }
    }
  }

  /// Adds a number, or its absence.
  mutating func add(_ number: Int64?) {
    parts.append(number == nil ? 0 : 1)
    parts.append(UInt64(bitPattern: number ?? 0))
  }

  /// Adds a text, or its absence.
  mutating func add(_ text: String?) {
    parts.append(text == nil ? 0 : 1)
    if let text { add(Array(text.utf8)) }
  }

  /// Adds what an answer says of its timetable.
  mutating func add(_ timetable: Timetable) {
    add(timetable.metadata.version)
    add(timetable.metadata.publisher)
    add(Int64(timetable.firstDay.daysSinceEpoch))
    add(Int64(timetable.lastDay.daysSinceEpoch))
  }

  /// The digest as an entity tag, with its quotes.
  var entityTag: String {
    let digest = parts.withUnsafeBytes { FeedDigest($0) }
    return "\"\(String(digest.hash, radix: 36))\""
  }
}
