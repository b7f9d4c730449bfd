import GTFS
import Hashing

@testable import Timetable

/// The bytes of a timetable file, to be damaged on purpose, with or without right checksums.
struct TimetableBytes {
  var bytes: [UInt8]

  init(_ feed: TestFeed) throws { bytes = try feed.imported().bytes }

  var header: TimetableHeader {
    bytes.withUnsafeBytes { $0.loadUnaligned(as: TimetableHeader.self) }
  }

  /// The table of contents.
  var contents: [TimetableContents] {
    bytes.withUnsafeBytes { bytes in
      (0..<Int(header.sectionCount)).map { index in
        bytes.loadUnaligned(
          fromByteOffset: MemoryLayout<TimetableHeader>.stride
            + index * MemoryLayout<TimetableContents>.stride,
          as: TimetableContents.self
        )
      }
    }
  }

  /// Where the table of contents ends.
  var frontEnd: Int {
    MemoryLayout<TimetableHeader>.stride
      + Int(header.sectionCount) * MemoryLayout<TimetableContents>.stride
  }

  /// Where a section lies.
  func range(_ section: TimetableSection) -> Range<Int> {
    guard let entry = contents.first(where: { $0.section == section.rawValue }) else {
      return 0..<0
    }
    let start = Int(entry.offset)
    return start..<start + Int(entry.count) * Int(entry.stride)
  }

  /// Changes an element of a section.
  mutating func edit<Element: BitwiseCopyable>(
    _ section: TimetableSection,
    _ index: Int,
    as type: Element.Type,
    _ change: (inout Element) -> Void
  ) {
    let place = range(section).lowerBound + index * MemoryLayout<Element>.stride
    bytes.withUnsafeMutableBytes { bytes in
      var element = bytes.loadUnaligned(fromByteOffset: place, as: type)
      change(&element)
      bytes.storeBytes(of: element, toByteOffset: place, as: type)
    }
  }

  /// Exchanges two elements of a section.
  mutating func swap<Element: BitwiseCopyable>(
    _ section: TimetableSection,
    _ first: Int,
    _ second: Int,
    as type: Element.Type
  ) {
    let start = range(section).lowerBound
    let stride = MemoryLayout<Element>.stride
    for offset in 0..<stride {
      bytes.swapAt(start + first * stride + offset, start + second * stride + offset)
    }
  }

  /// Changes the header and nothing else.
  mutating func editHeader(_ change: (inout TimetableHeader) -> Void) {
    var header = header
    change(&header)
    bytes.withUnsafeMutableBytes { $0.storeBytes(of: header, as: TimetableHeader.self) }
  }

  /// Makes all checksums those of the bytes, as if a faulty writer had written them.
  mutating func seal() {
    for (index, entry) in contents.enumerated() {
      var entry = entry
      let start = Int(entry.offset)
      let end = start + Int(entry.count) * Int(entry.stride)
      bytes.withUnsafeMutableBytes { bytes in
        entry.checksum = XXH64.hash(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        bytes.storeBytes(
          of: entry,
          toByteOffset: MemoryLayout<TimetableHeader>.stride
            + index * MemoryLayout<TimetableContents>.stride,
          as: TimetableContents.self
        )
      }
    }
    let front = MemoryLayout<TimetableHeader>.stride..<frontEnd
    let checksum = bytes.withUnsafeBytes {
      XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[front]))
    }
    editHeader { header in
      header.contentsChecksum = checksum
      header.headerChecksum = header.ownChecksum
    }
  }

  /// Opens the file.
  func open(checkingContents: Bool = true) throws -> Timetable {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try open(in: folder, checkingContents)
  }

  private func open(in folder: TemporaryFolder, _ checkingContents: Bool) throws -> Timetable {
    try Timetable(
      path: folder.write(bytes, to: "timetable"),
      checkingContents: checkingContents
    )
  }

  /// Why the file cannot be opened; `nil` if it can.
  ///
  /// A folder that is given is used again; it must hold no timetable that is still open.
  func failure(
    checkingContents: Bool = true,
    in shared: TemporaryFolder? = nil
  ) throws -> FeedError? {
    let folder = try shared ?? TemporaryFolder()
    defer { if shared == nil { folder.remove() } }
    do {
      _ = try open(in: folder, checkingContents)
      return nil
    } catch let error as FeedError {
      return error
    }
  }
}
