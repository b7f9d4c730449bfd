import Foundation
import GTFS
import GTFSRealtime
import Hashing
import Testing
import Timetable

@testable import StationboardServer

/// Boards beside ``AlertOracle``: random alerts, and feeds as producers published them.
///
/// The recorded feeds are not part of the repository: the folder is named by FRESHET_SHARED_DATA or
/// is at ../shared/data; without it that test says so and passes.
@Suite struct AlertOracleTests {
  /// Compares a board; returns how many alerts it has.
  private func compare(
    _ index: AlertIndex,
    _ oracle: AlertOracle,
    _ stop: UInt32,
    _ rows: [BoardRow],
    _ now: UInt64
  ) -> Int {
    let selection = AlertSelection(
      index: index,
      stop: Int(stop),
      rows: rows,
      now: Double(now),
      language: "fr"
    )
    func ids(_ hits: some Sequence<AlertSelection.Hit>) -> Set<String> {
      Set(hits.map { index.alerts[Int($0.alert)].id })
    }
    let found = [ids(selection.banners)] + rows.indices.map { ids(selection.rowAlerts($0)) }
    #expect(found == oracle.board(stop, rows, at: now))
    #expect(ids(selection.entities) == found.reduce(into: []) { $0.formUnion($1) })
    #expect(throws: Never.self) {
      _ = try json { selection.writeBanners(&$0, prefix: "x:") }
      _ = try json { selection.writeEntities(&$0, prefix: "x:") }
      for place in rows.indices {
        _ = try json { selection.writeAlerts(ofRow: place, &$0, prefix: "x:") }
      }
    }
    return found.reduce(0) { $0 + $1.count }
  }

  @Test func `random alerts of every kind are where the rules say`() throws {
    let stage = try AlertStage.open()
    let agencies = ["tl", "sbb", "x"]
    let routes = ["route-1", "route-2", "ic-1", "x"]
    let trips = ["bus1", "bus2", "back1", "ic", "x"]
    let stops = ["Parent8501120", "8501120:0:1", "8501120:0:2", "8501120:0:3", "Parent8501576"]
    var generator = SplitMix64(seed: 7)
    func some<T>(_ values: [T], _ share: Int) -> T? {
      Int.random(in: 0..<100, using: &generator) < share
        ? values.randomElement(using: &generator) : nil
    }
    let day = try #require(ServiceDate("20260224"))
    let now = UInt64(try epochSeconds("2026-02-24T07:00:00Z"))
    var total = 0
    for _ in 0..<200 {
      let alerts = (0..<12).map { number in
        var alert = Alert("\(number)")
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          let trip = some(trips, 20).map {
            TripDescriptor(tripID: $0, startDate: some([day, day + 1], 50))
          }
          alert.informedEntities.append(
            EntitySelector(
              agencyID: some(agencies, 20),
              routeID: some(routes, 30),
              routeType: some([0, 2, 3, 700, 102, 6], 20),
              directionID: some([0, 1], 20),
              trip: trip,
              stopID: some(stops, 50)
            )
          )
        }
        if let shift = some([-100, 0, 100], 50) {
          let middle = UInt64(Int(now) + shift)
          alert.activePeriods = [ActivePeriod(start: middle - 50, end: middle + 50)]
        }
        return alert
      }
      let index = AlertIndex(alerts, stage.directory)
      let oracle = AlertOracle(
        stage.timetable,
        alerts,
        agency: { route in
          stage.directory.classes[Int(stage.directory.routeClass(of: UInt32(route)))].agency
        }
      )
      for stop in stops {
        let rows = try stage.rows(stop)
        total += compare(index, oracle, UInt32(try stage.stop(stop)), rows, now)
      }
    }
    #expect(total > 2_000)
  }

  @Test(arguments: ["bart", "caltrain", "swiss-200k"])
  func `recorded alerts are read, selected and written`(name: String) throws {
    let named = ProcessInfo.processInfo.environment["FRESHET_SHARED_DATA"]
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../shared/data").standardizedFileURL
    let folder = (named.map { URL(filePath: $0) } ?? root).appending(path: name)
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let feeds = files.filter { $0.hasPrefix("alerts") && $0.hasSuffix(".pb") }.sorted()
    guard !feeds.isEmpty else {
      print("No recorded feeds in \(folder.path): nothing to compare.")
      return
    }
    let target = NSTemporaryDirectory() + "freshet-alerts-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: target) }
    let source = folder.appending(path: "gtfs.zip").path
    _ = try FeedImport.run(path: source, prefix: nil, target: target, now: 0)
    let timetable = try Timetable(path: target)
    for file in feeds {
      let bytes = [UInt8](try Data(contentsOf: folder.appending(path: file)))
      let feed = try AlertFeed(protobuf: bytes)
      let index = AlertIndex(feed, timetable: timetable)
      let selectors = feed.alerts.reduce(0) { $0 + $1.informedEntities.count }
      #expect(index.counters.resolved + index.counters.unresolvedTotal == selectors)
      let agencies = index.directory.classes.map(\.agency)
      let oracle = AlertOracle(
        timetable,
        feed.alerts,
        agency: { route in
          agencies[Int(index.directory.routeClass(of: UInt32(route)))]
        }
      )
      // The stops that alerts name, and some others.
      let about = index.selectors.map(\.stop).filter { $0 != ResolvedSelector.none }
      let others = stride(from: 0, to: timetable.stopCount, by: max(1, timetable.stopCount / 20))
      let now = try #require(feed.header.timestamp)
      var total = 0
      for stop in Set(about.prefix(40) + others.map { UInt32($0) }) {
        let rows = timetable.departures(
          at: stop,
          from: Int64(now),
          until: Int64(now) + 12_600,
          limit: 60
        )
        total += compare(index, oracle, stop, rows.map { BoardRow($0) }, now)
      }
      if !about.isEmpty { #expect(total > 0) }
      let again = AlertIndex(feed, timetable: timetable, previous: index)
      #expect(again.version == index.version && again.counters == index.counters)
      print(
        "\(name)/\(file): \(index.counters.alerts) alerts, \(index.counters.resolved) of"
          + " \(selectors) selectors, \(total) shown; left out: \(index.counters.unresolved)"
      )
    }
  }
}
