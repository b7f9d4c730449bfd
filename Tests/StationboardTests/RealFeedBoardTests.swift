import Foundation
import GTFS
import GTFSRealtime
import Testing
import Timetable

@testable import StationboardServer

/// Boards of timetables and trip updates as producers published them.
///
/// They are not part of the repository: the folder is named by FRESHET_SHARED_DATA or is at
/// ../shared/data; without it these tests say so and pass.
@Suite struct RealFeedBoardTests {
  private var folder: URL {
    let named = ProcessInfo.processInfo.environment["FRESHET_SHARED_DATA"]
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../shared/data").standardizedFileURL
    return named.map { URL(filePath: $0) } ?? root
  }

  /// A recorded file; `nil`, with a message, if it is missing.
  private func recorded(_ name: String) -> String? {
    let path = folder.appending(path: name).path
    if FileManager.default.fileExists(atPath: path) { return path }
    print("\(path) is not there: nothing to compare.")
    return nil
  }

  // MARK: Trip updates

  /// What the boards of a feed say, all stops together.
  private struct Said {
    var rows = 0
    var live = 0
    var endsEarly = 0
    var skipsOnTheWay = 0
    var words: [BoardRealtimeStatus: Int] = [:]
  }

  /// Makes the board of every stop that trip updates could reach, and checks each row that ends early
  /// against the update of its trip.
  private func boards(
    _ feed: Feed,
    _ updates: TripUpdateFeed,
    _ index: RealtimeIndex,
    at now: Int64
  ) throws -> Said {
    let timetable = feed.timetable
    var byTrip: [String: [TripUpdate]] = [:]
    for update in updates.trips {
      byTrip[updates.texts[update.tripID] ?? "", default: []].append(update)
    }
    var said = Said()
    for stop in 0..<UInt32(timetable.stopCount) where timetable.departureCount(of: stop) > 0 {
      let request = BoardRequest(
        stop: StopResolver.Resolved(feed: feed, stop: stop, source: .direct),
        limit: 60,
        window: 120
      )
      let board = MergedBoard(request: request, now: Double(now), realtime: index)
      let coverage = try #require(board.coverage)
      let given: BoardRealtimeStatus = index.counters.matchesNothing ? .partial : .applied
      let word = given.refined(coverage, freshest: board.freshest)
      said.words[word, default: 0] += 1
      said.rows += board.rows.count
      said.live += coverage.live
      #expect(coverage.live == board.rows.count { $0.hasRealtime && $0.freshness != .stale })
      #expect(word != .applied || coverage.live > 0 || coverage.departures == 0)
      for row in board.rows where row.flags.contains(.skipsLater) || row.flags.contains(.endsEarly)
      {
        guard let trip = row.trip, row.extra == nil else { continue }
        let last = timetable.call(timetable.callCount(of: trip) - 1, of: trip)
        let id = String(decoding: timetable.tripId(of: trip), as: UTF8.self)
        let lastStop = String(decoding: timetable.id(of: last.stop), as: UTF8.self)
        let isLastLeftOut = byTrip[id, default: []].contains { update in
          updates.updates(of: update).contains { one in
            one.relationship == .skipped
              && (one.stopSequence.map { $0 == last.sequence }
                ?? (updates.texts[one.stopID] == lastStop))
          }
        }
        #expect(row.flags.contains(.endsEarly) == isLastLeftOut, "\(id)")
        if isLastLeftOut { said.endsEarly += 1 } else { said.skipsOnTheWay += 1 }
      }
    }
    return said
  }

  private func compare(
    _ source: String,
    _ name: String,
    _ check: (RealtimeCounters, Said) throws -> Void
  ) throws {
    guard let zip = recorded(source), let file = recorded(name) else { return }
    let feed = try SampleFeed.recorded(zip).feed
    let updates = try TripUpdateFeed(protobuf: [UInt8](Data(contentsOf: URL(filePath: file))))
    let now = Int64(try #require(updates.header.timestamp))
    let index = RealtimeIndex(updates, timetable: feed.timetable, arrivedAt: now)
    let counters = index.counters
    #expect(counters.received == updates.trips.count)
    let said = try boards(feed, updates, index, at: now)
    print(
      "\(name): \(counters.matched) of \(counters.received) trip updates match,"
        + " \(counters.withoutEffect); \(said)"
    )
    try check(counters, said)
  }

  @Test(arguments: ["1768494853", "1768510332"])
  func `Kingston: stops are left out on the way, and no trip ends early for them`(
    at: String
  ) throws {
    try compare("more/kingston.zip", "more/kingston_\(at).pb") { counters, said in
      #expect(said.skipsOnTheWay > 0)
      #expect(said.live > 0)
      #expect(counters.added > 0)
      #expect(counters.matched > 9 * counters.unmatched)
    }
  }

  @Test func `Koleje Dolnośląskie: no trip update fits the timetable, and no board is live`() throws
  {
    try compare("more/kd.zip", "more/kd.pb") { counters, said in
      #expect(counters.received == 25)
      #expect(counters.matchesNothing)
      #expect(said.live == 0)
      #expect(Set(said.words.keys) == [.partial])
    }
  }

  @Test
  func `New York: trip updates of ids that the timetable lacks are counted, and nothing is live`()
    throws
  {
    try compare("more/nyct_multi.zip", "more/nyct_multi_1707400055.pb") { counters, said in
      #expect(counters.withoutEffect[.unknownTrip] == counters.received)
      #expect(said.live == 0)
      #expect(Set(said.words.keys) == [.partial])
    }
  }

  @Test(arguments: ["bart", "caltrain"])
  func `boards of other producers say no more than their feeds`(name: String) throws {
    try compare("\(name)/gtfs.zip", "\(name)/trip_updates.pb") { _, _ in }
  }

  // MARK: Timetables

  @Test(arguments: [
    ("oba_sandy-flex-fares-v2.zip", 190, 320),
    ("otp_cobblinc-scheduled-deviated-flex.zip", 144, 144),
  ])
  func `fixed routes of flex feeds serve, and rows on demand are counted`(
    name: String,
    onDemand: Int,
    fixed: Int
  ) throws {
    guard let zip = recorded("more/\(name)") else { return }
    let imported = try SampleFeed.recorded(zip)
    let account = try #require(imported.report.files.first { $0.file == "stop_times.txt" })
    #expect(account.onDemand == onDemand)
    #expect(account.rows == onDemand + fixed)
    #expect(account.rejected == 0)
    #expect(imported.report.departures > 0)
    try imported.feed.timetable.check()
  }

  @Test(arguments: ["dir", "zip"])
  func `a feed in a folder of the archive, or in an archive within it, is read`(
    kind: String
  ) throws {
    guard let zip = recorded("more/tl_example-nested-\(kind).zip") else { return }
    #expect(try SampleFeed.recorded(zip).report.stops == 9)
  }

  @Test func `names in a code page are read as their operator writes them`() throws {
    guard let zip = recorded("more/kd_g.zip") else { return }
    let imported = try SampleFeed.recorded(zip)
    #expect(imported.report.encoding?.name == "windows-1250")
    #expect(imported.report.rejectedRows.isEmpty)
    let timetable = imported.feed.timetable
    let names = (0..<UInt32(timetable.stopCount)).map {
      String(decoding: timetable.name(of: $0), as: UTF8.self)
    }
    #expect(names.contains { $0.hasPrefix("Wrocław Główny") })
    #expect(!names.contains { $0.contains("³") || $0.contains("\u{9C}") })
  }

  @Test func `trips without any time are rejected, and the others serve`() throws {
    guard let zip = recorded("more/cat_saskatoon.zip") else { return }
    let report = try SampleFeed.recorded(zip).report
    #expect(report.rejectedRows.count { $0.reason.contains("has no time") } == 34)
    #expect(report.departures > 100_000)
  }

  @Test func `frequencies without exact times are headways`() throws {
    guard let zip = recorded("more/grv_bullrunner-gtfs.zip") else { return }
    let feed = try SampleFeed.recorded(zip).feed
    let timetable = feed.timetable
    #expect(timetable.tripCount > 0)
    #expect((0..<UInt32(timetable.tripCount)).allSatisfy { timetable.isHeadway($0) })
  }
}
