import Hashing

extension Timetable {
  /// The newest version of the format that this program reads.
  package static let newestVersion = Int(TimetableHeader.currentVersion)

  /// The version that the head of a file names; `nil` if it is not the head of a timetable file.
  package static func version(head: UnsafeRawBufferPointer) -> Int? {
    let size = MemoryLayout<TimetableHeader>.stride
    guard head.count >= size else { return nil }
    let header = head.loadUnaligned(as: TimetableHeader.self)
    return header.magic == TimetableHeader.magic ? Int(header.version) : nil
  }

  /// The checksum that finds damage of bytes: XXH64 with seed 0.
  package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 { XXH64.hash(bytes) }
}
