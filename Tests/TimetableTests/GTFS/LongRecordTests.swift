import GTFS
import Testing

/// Records around the limit of one record (``FeedLimits/recordBytes``).
@Suite struct LongRecordTests {
  /// A file with one row of `count` bytes between short ones.
  private func file(rowBytes count: Int, quoted: Bool = false) -> [UInt8] {
    var bytes = Array("a,b\n1,2\n".utf8)
    bytes += quoted ? Array("3,\"".utf8) : Array("3,".utf8)
    bytes += [UInt8](repeating: 0x78, count: count - (quoted ? 4 : 2))
    if quoted { bytes.append(0x22) }
    bytes += Array("\n5,6\n7,8\n".utf8)
    return bytes
  }

  @Test(arguments: [false, true])
  func `a record just below the limit is read`(quoted: Bool) throws {
    let count = FeedLimits.recordBytes - 16
    let records = try Record.all(
      MemorySource(file(rowBytes: count, quoted: quoted), piece: 300_000)
    )
    #expect(records.map(\.line) == [1, 2, 3, 4, 5])
    #expect(records.allSatisfy { $0.problem == nil })
    #expect(records[2].fields[1].utf8.count == count - (quoted ? 4 : 2))
    #expect(records.last == Record(5, "7", "8"))
  }

  @Test(arguments: [1_100_000, 2_500_000], [Int.max, 1 << 20, 300_000])
  func `a record over the limit is one malformed record and costs nothing else`(
    count: Int,
    piece: Int
  ) throws {
    let records = try Record.all(MemorySource(file(rowBytes: count), piece: piece))
    #expect(records.count == 5)
    #expect(records.filter { $0.problem != nil }.map(\.line) == [3])
    #expect(records.first { $0.problem != nil }?.problem?.contains("1048576 bytes") == true)
    #expect(records.suffix(2) == [Record(4, "5", "6"), Record(5, "7", "8")])
  }

  @Test func `a quote never closed in a large file costs its own line`() throws {
    var text = "a,b\n1,\"2\n"
    let rows = 150_000
    for row in 0..<rows { text += "\(row % 10),5678901\n" }
    let reader = try CSVReader(MemorySource(Array(text.utf8), piece: 1 << 19), file: "x.txt")
    #expect(try reader.next())
    #expect(reader.line == 2)
    #expect(reader.problem?.contains("a quote is never closed") == true)
    var good = 0
    while try reader.next() {
      if reader.problem == nil { good += 1 }
    }
    #expect(good == rows)
    #expect(reader.line == rows + 3)
  }
}
