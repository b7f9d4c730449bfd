import Foundation
import Freshness
import GRDB
import GTFS
import Testing

@testable import StationboardServer

/// The file of the history: its format, what becomes of damage, and that it stays small.
@Suite struct HistoryStoreTests {
  private let folder = DataFolder(
    path: NSTemporaryDirectory() + "freshet-history-\(UUID().uuidString)"
  )
  private let line = HistoryStore.Line(
    feed: "default",
    route: "R1",
    name: "42",
    agency: "Agency",
    type: 3,
    color: 0x00FF_0000,
    textColor: nil
  )

  init() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
  }

  private func counts(_ delays: Int...) -> LineCounts {
    var counts = LineCounts()
    for delay in delays { counts.delays.add(delay) }
    counts.tripsSeen = 1
    counts.cancelled = 2
    return counts
  }

  private func batch(day: Int = 20_000, days: Int = 90) -> HistoryStore.Batch {
    HistoryStore.Batch(today: day, now: Double(day) * 86_400 + 43_200, days: days)
  }

  private func read(
    _ store: HistoryStore,
    _ days: ClosedRange<Int>
  ) async throws -> [HistoryStore.LineRow] {
    try await store.lines(HistoryStore.Selection(days: days))
  }

  @Test func `what is written is read again, and newer counts replace earlier ones`() async throws {
    let store = try HistoryStore.open(in: folder)
    var batch = batch()
    batch.lines = [(line, 20_000, 1, counts(30))]
    try await store.write(batch)
    batch.lines = [(line, 20_000, 1, counts(30, 200, 900)), (line, 20_000, 0, counts())]
    try await store.write(batch)
    let rows = try await read(store, 20_000...20_000)
    #expect(rows.map(\.source) == [0, 1])
    #expect(rows.last?.counts == counts(30, 200, 900))
    #expect(rows.last?.line == line)
    let reader = try HistoryStore.openForReading(in: folder)
    #expect(try await read(reader, 19_000...21_000).count == 2)
    #expect(try await reader.span() == 20_000...20_000)
  }

  @Test func `names of lines are found in any case, and routes by their id`() async throws {
    let store = try HistoryStore.open(in: folder)
    var other = line
    (other.route, other.name) = ("R2", "n1")
    var batch = batch()
    batch.lines = [(line, 20_000, 1, counts()), (other, 20_000, 1, counts())]
    try await store.write(batch)
    let named = HistoryStore.Selection(days: 20_000...20_000, name: "N1")
    #expect(try await store.lines(named).map(\.line.route) == ["R2"])
    let route = HistoryStore.Selection(days: 20_000...20_000, feed: "default", route: "R1")
    #expect(try await store.lines(route).map(\.line.name) == ["42"])
  }

  @Test func `a point is read as it was written`() async throws {
    var point = HistoryPoint()
    point.add(age: 3.25, for: 10)
    (point.good, point.bad, point.matched, point.unmatched) = (4, 1, 100, 2)
    point.delays.add(75)
    point.answers[2] = 9
    let store = try HistoryStore.open(in: folder)
    var batch = batch()
    let start = Int64(batch.now) - 300
    let subject = HistorySubject(feed: "a", kind: "trip-updates", number: 2)
    batch.points = [(start, subject, point), (start, .served, HistoryPoint())]
    try await store.write(batch)
    let rows = try await store.points(0..<Int64.max, limit: 10)
    #expect(rows.map(\.subject) == [.served, subject])
    #expect(rows.map(\.point) == [HistoryPoint(), point])
    #expect(HistoryPoint(text: "1 2 3") == nil)
  }

  @Test func `days that are too old are removed, with lines that nothing is left of`() async throws
  {
    let store = try HistoryStore.open(in: folder)
    var first = batch(day: 20_000)
    first.lines = [(line, 20_000, 1, counts())]
    try await store.write(first)
    try await store.write(batch(day: 20_089))
    #expect(try await read(store, 0...30_000).count == 1)
    try await store.write(batch(day: 20_090))
    #expect(try await read(store, 0...30_000).isEmpty)
    #expect(
      try await store.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM line") } == 0
    )
  }

  @Test func `points of five minutes become hours, and nothing of them is lost`() async throws {
    let store = try HistoryStore.open(in: folder)
    let subject = HistorySubject(feed: "a", kind: "trip-updates", number: 1)
    let start = Int64(20_000) * 86_400
    var first = batch(day: 20_000)
    var whole = HistoryPoint()
    for number in 0..<24 {
      var point = HistoryPoint()
      point.add(age: Double(number), for: 300)
      point.good = 20
      first.points.append((start + Int64(number) * 300, subject, point))
      if number < 12 { whole.add(point) }
    }
    try await store.write(first)
    try await store.write(batch(day: 20_015))
    let rows = try await store.points(0..<Int64.max, limit: 100)
    #expect(rows.map(\.step) == [3_600, 3_600])
    #expect(rows.first?.point == whole)
    // The same again changes nothing; late points of an hour are added to it.
    first.points = [(start + 300, subject, whole)]
    try await store.write(first)
    try await store.write(batch(day: 20_015))
    let again = try await store.points(0..<Int64.max, limit: 100)
    #expect(again.count == 2)
    #expect(again.first?.point.good == 480)
    try await store.write(batch(day: 20_200))
    #expect(try await store.points(0..<Int64.max, limit: 100).isEmpty)
  }

  @Test func `a checkpoint is kept for each feed`() async throws {
    let store = try HistoryStore.open(in: folder)
    var checkpoint = HistoryCheckpoint(settled: 1_000.5)
    checkpoint.live.extend(from: 900, until: 1_000)
    checkpoint.runs = [
      HistoryCheckpoint.Run(
        trip: "t\u{1F}ü",
        start: 36_000,
        day: 20_000,
        counted: [3, .max],
        source: 1,
        kind: 1,
        last: [OpenRun.Last(position: 2, effective: 77, report: .delay(-5))]
      )
    ]
    checkpoint.added = [20_000: [1, .max]]
    var batch = batch()
    batch.checkpoints = ["default": checkpoint]
    try await store.write(batch)
    #expect(try store.checkpoint(of: "default") == checkpoint)
    #expect(try store.checkpoint(of: "other") == nil)
  }

  @Test func `a departure of a checkpoint has the names that earlier versions stored`() throws {
    let stored = #"{"effective":77,"position":2,"word":{"delay":{"_0":-5}}}"#
    let last = OpenRun.Last(position: 2, effective: 77, report: .delay(-5))
    #expect(try JSONDecoder().decode(OpenRun.Last.self, from: Data(stored.utf8)) == last)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(last), as: UTF8.self) == stored)
  }

  @Test
  func `a file of zeros, of another program, or cut in the middle is damaged and can be set aside`()
    async throws
  {
    let path = HistoryStore.path(in: folder)
    let contents: [() throws -> Void] = [
      { try Data(repeating: 0x5A, count: 8_192).write(to: URL(filePath: path)) },
      {
        let other = try DatabaseQueue(path: path)
        try other.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        try other.close()
      },
    ]
    for content in contents {
      try content()
      let failure = #expect(throws: HistoryFailure.self) { try HistoryStore.open(in: folder) }
      #expect(failure?.isDamage == true)
      #expect(failure?.description.contains(path) == true)
      let place = try HistoryStore.setAside(in: folder)
      #expect(FileManager.default.fileExists(atPath: place))
      let store = try HistoryStore.open(in: folder)
      var batch = batch()
      batch.lines = [(line, 20_000, 1, counts())]
      try await store.write(batch)
      #expect(try await read(store, 20_000...20_000).count == 1)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        try FileManager.default.removeItem(atPath: folder.path + "/" + name)
      }
    }
  }

  @Test func `a file of a newer version is left alone`() throws {
    _ = try HistoryStore.open(in: folder)
    let path = HistoryStore.path(in: folder)
    let other = try DatabaseQueue(path: path)
    try other.write { try $0.execute(sql: "PRAGMA user_version = 2") }
    let failure = #expect(throws: HistoryFailure.self) { try HistoryStore.open(in: folder) }
    #expect(failure?.isDamage == false)
    #expect(failure?.description.contains("version 2") == true)
    #expect(throws: HistoryFailure.self) { try HistoryStore.openForReading(in: folder) }
  }

  @Test func `without a history, reading says so`() {
    let failure = #expect(throws: HistoryFailure.self) {
      try HistoryStore.openForReading(in: folder)
    }
    #expect(failure?.description.contains("there is no history") == true)
  }
}

/// What is read of sources between two checks.
@Suite struct HistorySampleTests {
  @Test func `the content before counts until the one in use arrived`() throws {
    var status = SourceStatus()
    status.isConfigured = true
    status.fetchedAt = 1_000
    status.madeAt = 995
    status.metrics.count(.unchanged)
    func view() -> SourceView {
      SourceView(kind: .tripUpdates, number: 1, of: 1, status: status, counters: nil)
    }
    var samples = HistorySamples()
    samples.record([view()], of: "a", at: 1_000)
    status.fetchedAt = 1_015
    status.madeAt = 1_012
    status.metrics.count(.unchanged)
    status.metrics.count(.timedOut)
    samples.record([view()], of: "a", at: 1_020)
    let points = samples.series.takeChanges(at: 1_020)
    let point = try #require(points.first?.point)
    // 5 to 20 s for 15 s, then 3 to 8 s for 5 s.
    #expect(point.seconds == 20)
    #expect(point.mean == (12.5 * 15 + 5.5 * 5) / 20)
    #expect((point.least, point.most) == (3, 20))
    #expect((point.good, point.bad) == (1, 1))
  }
}
