/// The first 64 bytes of a timetable file, little-endian.
struct TimetableHeader: BitwiseCopyable {
  /// "FRESHTT" and a line feed, which a text-mode transfer would damage.
  static let magic: UInt64 = 0x0A54_5448_5345_5246
  /// Raised whenever a section changes its meaning.
  ///
  /// In version 2 the times of a trip are in the zone of its agency. A feed with one zone is written as version 1,
  /// in which they are in the zone of the timetable.
  static let currentVersion: UInt32 = 2
  /// The version of a file with one time zone.
  static let oneZoneVersion: UInt32 = 1

  var magic = Self.magic
  var version = Self.oneZoneVersion
  var sectionCount: UInt32 = 0
  /// The length of the whole file in bytes.
  var fileLength: UInt64 = 0
  /// The checksum of the table of contents that follows the header.
  var contentsChecksum: UInt64 = 0
  var reserved1: UInt64 = 0
  var reserved2: UInt64 = 0
  var reserved3: UInt64 = 0
  /// The checksum of the bytes before this field.
  var headerChecksum: UInt64 = 0
}

/// One line of the table of contents.
struct TimetableContents: BitwiseCopyable {
  var section: UInt32
  /// Bytes of one element.
  var stride: UInt32
  /// Where the section starts in the file; a multiple of 64.
  var offset: UInt64
  /// The number of elements.
  var count: UInt64
  var checksum: UInt64
}
