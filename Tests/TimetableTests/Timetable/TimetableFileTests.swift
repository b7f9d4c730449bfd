import Foundation
import GTFS
import Testing

@testable import Timetable

@Suite struct TimetableFileTests {
  private static let file = Result { try TimetableBytes(.manyTrips) }

  private func file() throws -> TimetableBytes { try Self.file.get() }

  @Test func `a good file opens, is sound and lies on boundaries of 64 bytes`() throws {
    let file = try file()
    for isChecking in [true, false] { try file.open(checkingContents: isChecking).check() }
    #expect(
      file.contents.map(\.section).sorted() == TimetableSection.allCases.map(\.rawValue).sorted()
    )
    #expect(file.contents.allSatisfy { $0.offset % 64 == 0 })
    #expect(file.header.fileLength == UInt64(file.bytes.count))
    #expect(file.header.version == TimetableHeader.oneZoneVersion)
    #expect(Timetable.fileVersion == Int(TimetableHeader.currentVersion))
  }

  @Test func `a file of another format is rejected`() throws {
    var file = try file()
    file.bytes[0] ^= 0x20
    #expect(try file.failure()?.code == .damagedTimetable)
    #expect(try file.failure()?.message.hasSuffix(": not a timetable file") == true)
    file.bytes = Array("stop_id,stop_name\n".utf8)
    #expect(try file.failure()?.message.hasSuffix(": shorter than its header") == true)
    file.bytes = []
    #expect(try file.failure()?.message.hasSuffix(": the file is empty") == true)
    file.bytes = [UInt8](repeating: 0, count: 4_096)
    #expect(try file.failure()?.code == .damagedTimetable)
  }

  @Test func `a file that does not exist is unreadable`() {
    let error = #expect(throws: FeedError.self) {
      try Timetable(path: NSTemporaryDirectory() + UUID().uuidString)
    }
    #expect(error?.code == .unreadable)
  }

  @Test(arguments: [0, TimetableHeader.currentVersion + 1, UInt32.max])
  func `a file of another version asks for a new import`(version: UInt32) throws {
    var file = try file()
    file.editHeader { header in
      header.version = version
      header.headerChecksum = header.ownChecksum
    }
    let failure = try file.failure()
    #expect(failure?.code == .damagedTimetable)
    #expect(
      failure?.message.contains("version \(version); this program reads versions 1 to 2") == true
    )
    #expect(failure?.message.hasSuffix("import the feed again") == true)
  }

  @Test func `a file of any other length is refused, with or without checking its contents`() throws
  {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let whole = try file()
    var file = whole
    var lengths = Set(stride(from: 0, to: whole.bytes.count, by: 397))
    for entry in whole.contents { lengths.insert(Int(entry.offset)) }
    lengths.formUnion([1, 63, 64, 65, whole.frontEnd - 1, whole.frontEnd, whole.bytes.count - 1])
    for length in lengths {
      file.bytes = Array(whole.bytes.prefix(length))
      for isChecking in [true, false] {
        let code = try file.failure(checkingContents: isChecking, in: folder)?.code
        #expect(code == .damagedTimetable, "\(length) bytes")
      }
    }
    file.bytes = whole.bytes + [0]
    #expect(try file.failure(checkingContents: false, in: folder)?.code == .damagedTimetable)
  }

  @Test func `a flipped bit in header or table of contents is noticed without checking contents`()
    throws
  {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var file = try file()
    for place in 0..<file.frontEnd {
      file.bytes[place] ^= 1 << UInt8(place % 8)
      #expect(
        try file.failure(checkingContents: false, in: folder)?.code == .damagedTimetable,
        "byte \(place)"
      )
      file.bytes[place] ^= 1 << UInt8(place % 8)
    }
  }

  @Test(arguments: TimetableSection.allCases)
  func `a flipped bit in any section is noticed`(section: TimetableSection) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var file = try file()
    let range = file.range(section)
    try #require(!range.isEmpty)
    for place in [
      range.lowerBound, (range.lowerBound + range.upperBound) / 2, range.upperBound - 1,
    ] {
      file.bytes[place] ^= 0x10
      #expect(try file.failure(in: folder)?.code == .damagedTimetable, "byte \(place)")
      file.bytes[place] ^= 0x10
    }
  }

  @Test func `a flipped bit anywhere is noticed`() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var file = try file()
    for place in stride(from: 0, to: file.bytes.count, by: 97) {
      file.bytes[place] ^= 0x04
      #expect(try file.failure(in: folder)?.code == .damagedTimetable, "byte \(place)")
      file.bytes[place] ^= 0x04
    }
    #expect(try file.failure(in: folder) == nil)
  }

  @Test func `the same feed gives the same file, byte for byte`() throws {
    let again = try TestFeed.manyTrips.imported().bytes
    #expect(again == (try file().bytes))
  }

  @Test func `a later import of the same feed differs in its metadata only`() throws {
    let first = try file()
    var second = first
    second.bytes = try TestFeed.manyTrips.imported(now: 1_790_000_000).bytes
    for section in TimetableSection.allCases where section != .metadata {
      #expect(first.bytes[first.range(section)] == second.bytes[second.range(section)])
    }
    #expect(try first.open().metadata.importedAt == 1_780_000_000)
    #expect(try second.open().metadata.importedAt == 1_790_000_000)
  }

  @Test func `a zone this computer does not know is refused`() throws {
    var file = try file()
    let zone = try #require(file.bytes.firstRange(of: Array("Zurich".utf8)))
    file.bytes.replaceSubrange(zone, with: Array("Zuerch".utf8))
    file.seal()
    #expect(try file.failure()?.code == .unknownTimeZone)
  }
}
