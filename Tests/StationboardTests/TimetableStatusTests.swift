import ConditionalHTTP
import Foundation
import GTFS
import Serving
import Testing
import Timetable

@testable import StationboardServer

/// What the page of the status says of what is held back, waits, and fails.
@Suite struct TimetableStatusTests {
  private let folder = DataFolder(path: NSTemporaryDirectory() + "freshet-\(UUID().uuidString)")
  private let feed: Feed

  init() throws { feed = try #require(try SampleFeed.store().feeds.first) }

  private func status(
    _ endings: [StaticSchedule.Ending],
    held: ServiceChanges? = nil,
    waitsFrom: Double? = nil
  ) throws -> TimetableStatus {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let key = feed.entry.key
    var schedule = StaticSchedule()
    for (number, ending) in endings.enumerated() {
      let now = 1_795_000_000 + Double(number) * 100
      schedule.start(now: now, interval: 3_600, random: 0.5)
      schedule.finish(ending, now: now, interval: 3_600, random: 0.5)
    }
    if !endings.isEmpty { try folder.write(schedule, of: key) }
    var entry = feed.entry
    if let held {
      let path = folder.folder(of: key, generation: "g")
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try folder.replace(path + "/changes.json", with: held)
      entry.held = .init(generation: .init(name: "g"), reason: .losses)
    }
    entry.waiting = waitsFrom.map { .init(name: "w", startsAt: $0) }
    return TimetableStatus(of: feed, entry, in: folder)
  }

  @Test func `a source fails after two checks, and a file that cannot be used is refused`() throws {
    let response = StaticSchedule.Response(entityTag: "\"a\"")
    let good = StaticSchedule.Ending.notModified(response)
    let bad = StaticSchedule.Ending.failed("http://secret/", retryAfter: nil)
    let refused = StaticSchedule.Ending.content(response, digest: "d", .refused, reason: "no zip")
    #expect(try status([]).source == nil)
    #expect(try status([good]).source?.state == .ok)
    #expect(try status([good, bad]).source?.state == .ok)
    let failing = try #require(try status([good, bad, bad]).source)
    #expect(failing.state == .failing)
    #expect(failing.answeredAt == InstantText.write(1_795_000_000))
    #expect(failing.checkedAt == InstantText.write(1_795_000_200))
    #expect(failing.nextCheckAt == InstantText.write(1_795_000_320))
    #expect(try status([refused]).source?.state == .refused)
    #expect(try status([refused, bad, bad]).source?.state == .failing)
  }

  @Test func `an import that is held back says which lines and stations would lose what`() throws {
    var changes = ServiceChanges(firstDay: 20_000)
    (changes.before, changes.after, changes.lost) = (3_000, 2_001, 999)
    (changes.losingLines, changes.losingStations) = (30, 40)
    changes.lines = (0..<20).map { number in
      .init(
        name: "\(number)",
        before: 100,
        lost: 50,
        ranOn: [20_000, 20_001],
        goneOn: number == 0 ? [20_000, 20_001] : number == 1 ? [20_001] : []
      )
    }
    changes.stations = (0..<20).map { number in
      .init(name: "S\(number)", before: 60, lost: 60 - number, isGone: number < 2)
    }
    let losses = try #require(try status([], held: changes).losses)
    #expect(losses.lostPercent == 33.3)
    #expect(losses.losingLines == 30)
    #expect(losses.losingStations == 40)
    #expect(losses.lines.count == HistoryLimits.namedLines)
    #expect(losses.lines.filter(\.isGone).map(\.line) == ["0"])
    #expect(losses.lines[1].goneOn == ["2024-10-05"])
    #expect(losses.stations.count == HistoryLimits.namedStations)
    #expect(losses.stations.filter(\.isGone).map(\.station) == ["S0", "S1"])
    #expect(losses.stations[2].before == 60 && losses.stations[2].lost == 58)
    #expect(try status([]).losses == nil)
  }

  @Test func `the day on which an import begins to serve is that of the agency`() throws {
    // 0:00 of 2026-12-15 in Zurich.
    #expect(try status([], waitsFrom: 1_797_289_200).waitingFrom == "2026-12-15")
  }
}
