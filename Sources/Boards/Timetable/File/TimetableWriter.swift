import GTFS
import Hashing

/// Writes the sections of a timetable file, each with its checksum, and the table of contents last.
struct TimetableWriter {
  private let file: FileWriter
  private var contents: [TimetableContents] = []

  /// Creates the file and leaves room for header and contents.
  init(path: String) throws(FeedError) {
    file = try FileWriter(path: path)
    let front =
      MemoryLayout<TimetableHeader>.stride
      + TimetableSection.allCases.count * MemoryLayout<TimetableContents>.stride
    try [UInt8](repeating: 0, count: front).withUnsafeFeedBytes { bytes throws(FeedError) in
      try file.write(bytes)
    }
  }

  /// Appends a section.
  mutating func write<Element: BitwiseCopyable>(
    _ section: TimetableSection,
    _ elements: [Element]
  ) throws(FeedError) {
    try file.align()
    let offset = file.count
    let checksum = try elements.withUnsafeFeedBytes { bytes throws(FeedError) in
      try file.write(bytes)
      return XXH64.hash(bytes)
    }
    contents.append(
      TimetableContents(
        section: section.rawValue,
        stride: UInt32(MemoryLayout<Element>.stride),
        offset: UInt64(offset),
        count: UInt64(elements.count),
        checksum: checksum
      )
    )
  }

  /// Completes the file and waits until it is on disk.
  ///
  /// - Parameter version: The version of the file.
  /// - Returns: Its length in bytes.
  /// - Throws: ``FeedError`` with code `cannotWrite`.
  mutating func finish(version: UInt32) throws(FeedError) -> Int {
    precondition(contents.count == TimetableSection.allCases.count, "a section is missing")
    var header = TimetableHeader()
    header.version = version
    header.sectionCount = UInt32(contents.count)
    header.fileLength = UInt64(file.count)
    header.contentsChecksum = contents.withUnsafeBytes { XXH64.hash($0) }
    header.headerChecksum = header.ownChecksum
    try contents.withUnsafeFeedBytes { bytes throws(FeedError) in
      try file.write(bytes, at: MemoryLayout<TimetableHeader>.stride)
    }
    try [header].withUnsafeFeedBytes { bytes throws(FeedError) in try file.write(bytes, at: 0) }
    try file.synchronize()
    return file.count
  }
}

extension TimetableHeader {
  /// The checksum of all fields before ``headerChecksum``.
  var ownChecksum: UInt64 {
    withUnsafeBytes(of: self) { XXH64.hash(UnsafeRawBufferPointer(rebasing: $0.dropLast(8))) }
  }
}
