import GTFS
import Testing

@Suite struct ReadAheadTests {
  @Test(arguments: [0, 1, 70_001, FeedLimits.blockBytes, FeedLimits.blockBytes + 1, 3_500_000])
  func `all bytes come through in order and then the end, again and again`(count: Int) throws {
    let source = ReadAhead(NumberSource(count: count))
    let bytes = try source.all(pieces: 600_000)
    #expect(bytes.count == count)
    #expect(bytes == NumberSource.bytes(count))
    #expect(try source.all().isEmpty)
    #expect(try source.all().isEmpty)
  }

  @Test(arguments: [1, 2, 8])
  func `any number of waiting blocks gives the same bytes`(depth: Int) throws {
    let source = ReadAhead(NumberSource(count: 2_500_000), depth: depth)
    let bytes = try source.all(pieces: 99_991)
    #expect(bytes.count == 2_500_000)
    #expect(bytes == NumberSource.bytes(2_500_000))
  }

  @Test(arguments: [0, FeedLimits.blockBytes, 2 * FeedLimits.blockBytes])
  func `an error comes after the blocks before it and is followed by the end`(count: Int) throws {
    let failure = FeedError(.brokenArchive, "damaged")
    let source = ReadAhead(NumberSource(count: count, failure: failure))
    var buffer = [UInt8](repeating: 0, count: FeedLimits.blockBytes)
    var total = 0
    while total < count { total += try buffer.withUnsafeMutableBytes { try source.read(into: $0) } }
    #expect(throws: failure) { try buffer.withUnsafeMutableBytes { try source.read(into: $0) } }
    #expect(try source.all().isEmpty)
  }

  @Test func `bytes of a block that ends in an error are not given out as whole`() throws {
    let failure = FeedError(.brokenArchive, "damaged")
    let source = ReadAhead(NumberSource(count: FeedLimits.blockBytes + 10, failure: failure))
    #expect(throws: failure) { try source.all() }
  }

  @Test(arguments: [0, 1, 2, 3, 7])
  func `a reader that stops early lets the source go`(blocks: Int) async {
    await #expect(processExitsWith: .success) { [blocks] in
      for _ in 0..<50 {
        let source = ReadAhead(NumberSource(count: 8 * FeedLimits.blockBytes))
        var buffer = [UInt8](repeating: 0, count: FeedLimits.blockBytes)
        for _ in 0..<blocks { _ = try buffer.withUnsafeMutableBytes { try source.read(into: $0) } }
      }
    }
  }
}
