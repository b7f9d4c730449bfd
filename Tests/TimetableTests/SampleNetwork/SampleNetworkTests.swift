import SampleNetwork
import Testing

private func options(
  stops: Int = 140,
  stopTimes: Int? = 6000,
  seed: UInt64 = 1
) throws -> SampleNetwork.Options {
  let day = try #require(SampleDay("2026-11-24"))
  return SampleNetwork.Options(stops: stops, stopTimes: stopTimes, day: day, seed: seed)
}

@Suite struct SampleNetworkTests {
  @Test func `the same options write the same bytes`() throws {
    let first = try WrittenFeed(options())
    let second = try WrittenFeed(options())
    #expect(first.summary == second.summary)
    for name in WrittenFeed.names {
      #expect(try first.content(of: name) == second.content(of: name), "\(name)")
    }
  }

  @Test func `another seed writes another network`() throws {
    let first = try WrittenFeed(options())
    let second = try WrittenFeed(options(seed: 2))
    #expect(try first.content(of: "stops") != second.content(of: "stops"))
  }

  @Test func `the summary counts what the files hold`() throws {
    let feed = try WrittenFeed(options())
    #expect(feed.summary.files.count == WrittenFeed.names.count)
    #expect(feed.summary.stops == 140)
    #expect(feed.summary.remarks.isEmpty)
    for name in WrittenFeed.names {
      let rows = try feed.table(name).rows.count
      #expect(feed.summary.rows(of: name + ".txt") == rows)
      let file = try #require(feed.summary.files.first { $0.name == name + ".txt" })
      #expect(try feed.content(of: name).count == file.bytes)
    }
  }

  @Test(arguments: [(80, 5000), (300, 20_000), (900, 12_000)])
  func `the scale asked for is met within a tenth`(stops: Int, stopTimes: Int) throws {
    let feed = try WrittenFeed(options(stops: stops, stopTimes: stopTimes))
    let parents = try feed.table("stops").column("parent_station").filter(\.isEmpty)
    let rows = try #require(feed.summary.rows(of: "stop_times.txt"))
    #expect(parents.count == stops)
    #expect(abs(rows - stopTimes) * 10 <= stopTimes)
    #expect(feed.summary.remarks.isEmpty)
  }

  @Test func `a network too small for the real stops says so`() throws {
    let feed = try WrittenFeed(options(stops: 2, stopTimes: 1))
    #expect(feed.summary.stops == 76)
    #expect(feed.summary.remarks.count == 2)
  }

  @Test(arguments: [1, -1, 100_001])
  func `numbers of stops outside the limits are refused`(stops: Int) throws {
    let options = try options(stops: stops)
    let error = #expect(throws: SampleError.self) { try SampleNetwork(options: options) }
    #expect(error?.code == .stopsOutOfRange)
  }

  @Test(arguments: [0, -5, 100_000_001])
  func `numbers of stop times outside the limits are refused`(stopTimes: Int) throws {
    let options = try options(stopTimes: stopTimes)
    let error = #expect(throws: SampleError.self) { try SampleNetwork(options: options) }
    #expect(error?.code == .stopTimesOutOfRange)
  }

  @Test func `a folder that cannot be made is an error`() throws {
    let network = try SampleNetwork(options: options())
    let error = #expect(throws: SampleError.self) {
      try network.write(to: "/dev/null/sample") { _, _ in }
    }
    #expect(error?.code == .cannotWrite)
  }
}
