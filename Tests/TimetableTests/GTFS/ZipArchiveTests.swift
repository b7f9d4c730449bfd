import Foundation
import GTFS
import Testing

@Suite struct ZipArchiveTests {
  private func text(_ archive: ZipArchive, _ name: String) throws -> String? {
    try archive.open(name).map { String(decoding: try $0.all(), as: UTF8.self) }
  }

  @Test func `members at the root are read with their size`() throws {
    let zip = try ZipFile(["stops.txt": "stop_id\nA\n", "trips.txt": "trip_id\n"])
    defer { zip.remove() }
    let archive = try ZipArchive(path: zip.path)
    #expect(try text(archive, "stops.txt") == "stop_id\nA\n")
    #expect(try text(archive, "trips.txt") == "trip_id\n")
    #expect(archive.size(of: "stops.txt") == 10)
  }

  @Test func `a missing member is not a failure`() throws {
    let zip = try ZipFile(["stops.txt": "stop_id\n"])
    defer { zip.remove() }
    let archive = try ZipArchive(path: zip.path)
    #expect(try archive.open("trips.txt") == nil)
    #expect(archive.size(of: "trips.txt") == nil)
  }

  @Test func `an empty archive has no members`() throws {
    let zip = try ZipFile(python: "pass")
    defer { zip.remove() }
    let archive = try ZipArchive(path: zip.path)
    #expect(try archive.open("stops.txt") == nil)
  }

  @Test func `a member is read in pieces of any size, also twice`() throws {
    let zip = try ZipFile(["stops.txt": "stop_id\nA\nB\nC\n"])
    defer { zip.remove() }
    let archive = try ZipArchive(path: zip.path)
    for piece in [1, 2, 5, 100] {
      let source = try #require(try archive.open("stops.txt"))
      #expect(try source.all(pieces: piece) == Array("stop_id\nA\nB\nC\n".utf8))
    }
  }

  @Test func `a feed in a folder of the archive is found, and __MACOSX is not it`() throws {
    let zip = try ZipFile([
      "__MACOSX/stops.txt": "wrong",
      "__MACOSX/feed/._stops.txt": "wrong",
      "a/long/way/down/stops.txt": "wrong",
      "gtfs-2026/stops.txt": "right",
      "gtfs-2026/trips.txt": "right too",
      "gtfs-2026/old/trips.txt": "wrong",
      "trips.txt": "wrong",
      "gtfs-2026/notstops.txt": "wrong",
    ])
    defer { zip.remove() }
    let archive = try ZipArchive(path: zip.path)
    #expect(try text(archive, "stops.txt") == "right")
    #expect(try text(archive, "trips.txt") == "right too")
    #expect(try archive.open("routes.txt") == nil)
  }

  @Test func `the root comes before a folder`() throws {
    let zip = try ZipFile(["stops.txt": "right", "a/stops.txt": "wrong", "a/trips.txt": "wrong"])
    defer { zip.remove() }
    let archive = try ZipArchive(path: zip.path)
    #expect(try text(archive, "stops.txt") == "right")
    #expect(try archive.open("trips.txt") == nil)
  }

  @Test func `nearest to the root is the fewest folders, not the shortest name`() throws {
    let zip = try ZipFile([
      "a/b/stops.txt": "wrong", "timetable-of-the-year-2026/stops.txt": "right",
    ])
    defer { zip.remove() }
    let archive = try ZipArchive(path: zip.path)
    #expect(try text(archive, "stops.txt") == "right")
  }

  /// Python that writes an archive with these names, each with a stops.txt, into the archive `z`.
  private func nested(_ names: String...) -> String {
    """
    import io
    for name in \(names):
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("feed/stops.txt", "stop_id\\n" + name)
        z.writestr(name, inner.getvalue())
    """
  }

  @Test func `a feed in the only archive within the archive is read`() throws {
    let zip = try ZipFile(python: nested("export/feed.ZIP"))
    defer { zip.remove() }
    let archive = try ZipArchive(path: zip.path)
    #expect(try text(archive, "stops.txt") == "stop_id\nexport/feed.ZIP")
  }

  @Test func `a feed of the archive itself comes before an archive within it`() throws {
    let zip = try ZipFile(
      python: nested("old.zip") + "\nz.writestr('stops.txt', 'stop_id\\nA')"
    )
    defer { zip.remove() }
    #expect(try text(ZipArchive(path: zip.path), "stops.txt") == "stop_id\nA")
  }

  @Test func `of several archives within the archive none is chosen, and they are named`() throws {
    let zip = try ZipFile(python: nested("east.zip", "west.zip"))
    defer { zip.remove() }
    let error = #expect(throws: FeedError.self) { try ZipArchive(path: zip.path) }
    #expect(error?.code == .missingFile)
    #expect(error?.message.contains("2 archives in this one: east.zip, west.zip") == true)
  }

  @Test func `an archive within the archive that is damaged is named`() throws {
    let zip = try ZipFile(python: "z.writestr('feed.zip', b'no archive')")
    defer { zip.remove() }
    let error = #expect(throws: FeedError.self) { try ZipArchive(path: zip.path) }
    #expect(error?.code == .brokenArchive)
    #expect(error?.message.contains("feed.zip is not a readable zip archive") == true)
  }

  @Test func `an archive within the archive that is too large is refused before it is read`() throws
  {
    let zip = try ZipFile(
      python: """
        z.writestr("feed.zip", b"PK")
        z.getinfo("feed.zip").file_size = (256 << 20) + 1
        """
    )
    defer { zip.remove() }
    let error = #expect(throws: FeedError.self) { try ZipArchive(path: zip.path) }
    #expect(error?.code == .limitExceeded)
  }

  @Test func `a damaged member is noticed at its checksum`() throws {
    let zip = try ZipFile(
      python: """
        z.writestr(zipfile.ZipInfo("stops.txt"), b"stop_id,stop_name\\nA,Aarau\\n")
        z.writestr(zipfile.ZipInfo("trips.txt"), b"trip_id\\nT\\n")
        """
    )
    defer { zip.remove() }
    try zip.damage { bytes in
      let place = try #require(bytes.firstRange(of: Array("Aarau".utf8)))
      bytes[place.lowerBound] ^= 1
    }
    let archive = try ZipArchive(path: zip.path)
    let source = try #require(try archive.open("stops.txt"))
    let error = #expect(throws: FeedError.self) { try source.all() }
    #expect(error?.code == .brokenArchive)
    #expect(error?.message.contains("stops.txt is damaged") == true)
    #expect(try text(archive, "trips.txt") == "trip_id\nT\n")
  }

  @Test func `a damaged deflated member is noticed`() throws {
    let zip = try ZipFile(
      python: """
        import random
        random.seed(7)
        z.writestr("stops.txt", "".join(f"{random.random()}\\n" for _ in range(5000)))
        """
    )
    defer { zip.remove() }
    try zip.damage { bytes in
      for place in 20_000..<20_064 { bytes[place] ^= 0x55 }
    }
    let archive = try ZipArchive(path: zip.path)
    let source = try #require(try archive.open("stops.txt"))
    let error = #expect(throws: FeedError.self) { try source.all() }
    #expect(error?.code == .brokenArchive)
  }

  @Test(arguments: [0.0, 0.1, 0.5, 0.9, 0.99])
  func `a truncated archive is refused`(share: Double) throws {
    let zip = try ZipFile(["stops.txt": "stop_id\nA\n", "trips.txt": "trip_id\n"])
    defer { zip.remove() }
    try zip.damage { bytes in bytes.removeLast(bytes.count - Int(Double(bytes.count) * share)) }
    let error = #expect(throws: FeedError.self) { try ZipArchive(path: zip.path) }
    #expect(error?.code == .brokenArchive)
  }

  @Test func `what is not a zip archive is refused`() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = try folder.write(Array("stop_id,stop_name\nA,Aarau\n".utf8), to: "stops.zip")
    let error = #expect(throws: FeedError.self) { try ZipArchive(path: path) }
    #expect(error?.code == .brokenArchive)
    #expect(error?.message.contains(path) == true)
  }

  @Test func `an encrypted member is refused`() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try folder.write(Array("stop_id\nA\n".utf8), to: "stops.txt")
    try folder.run("zip", ["-q", "-P", "secret", "feed.zip", "stops.txt"])
    let archive = try ZipArchive(path: folder.path + "/feed.zip")
    let error = #expect(throws: FeedError.self) { try archive.open("stops.txt") }
    #expect(error?.code == .brokenArchive)
    #expect(error?.message.hasSuffix("stops.txt is encrypted") == true)
  }

  /// 96 MB of one letter, which deflate to 96 KB.
  private static let bomb = """
    with z.open("stop_times.txt", "w") as f:
        for _ in range(96): f.write(b"0" * (1 << 20))
    """

  private func readToEnd(_ source: any ByteSource) throws -> Int {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var total = 0
    while true {
      let count = try source.read(into: buffer)
      guard count > 0 else { return total }
      total += count
    }
  }

  @Test func `a zip bomb is stopped at the ratio limit`() throws {
    let zip = try ZipFile(python: Self.bomb)
    defer { zip.remove() }
    let archive = try ZipArchive(path: zip.path)
    let source = try #require(try archive.open("stop_times.txt"))
    let error = #expect(throws: FeedError.self) { try readToEnd(source) }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("stop_times.txt inflates to more than 250 times") == true)
  }

  @Test func `a zip bomb that claims to be small is stopped too`() throws {
    let zip = try ZipFile(python: Self.bomb)
    defer { zip.remove() }
    try zip.damage { bytes in
      // The uncompressed size in the central directory.
      let entry = try #require(bytes.firstRange(of: [0x50, 0x4B, 0x01, 0x02]))
      bytes.replaceSubrange(entry.lowerBound + 24..<entry.lowerBound + 28, with: [16, 0, 0, 0])
    }
    let error = #expect(throws: FeedError.self) {
      let archive = try ZipArchive(path: zip.path)
      let source = try #require(try archive.open("stop_times.txt"))
      _ = try readToEnd(source)
    }
    #expect(error?.code == .limitExceeded || error?.code == .brokenArchive)
  }

  @Test func `what repeats itself below the ratio floor is read`() throws {
    let zip = try ZipFile(python: "z.writestr(\"stops.txt\", b\"0\" * (8 << 20))")
    defer { zip.remove() }
    let archive = try ZipArchive(path: zip.path)
    let source = try #require(try archive.open("stops.txt"))
    #expect(try readToEnd(source) == 8 << 20)
  }

  @Test(arguments: [(FeedLimits.archiveEntries, true), (FeedLimits.archiveEntries + 1, false)])
  func `more entries than the limit are refused`(count: Int, isAccepted: Bool) throws {
    let zip = try ZipFile(
      python: """
        for number in range(\(count - 1)): z.writestr(zipfile.ZipInfo(f"{number}"), b"")
        z.writestr("stops.txt", b"stop_id")
        """
    )
    defer { zip.remove() }
    guard !isAccepted else {
      #expect(try text(ZipArchive(path: zip.path), "stops.txt") == "stop_id")
      return
    }
    let error = #expect(throws: FeedError.self) { try ZipArchive(path: zip.path) }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("10001 entries; the limit is 10000") == true)
  }
}
