import FeedSimulation
import HTTPTypes
import Hashing
import Testing
import Timetable

@testable import StationboardServer

/// Asks boards during a simulation and compares each with the world's truth, and each with what a client
/// was told before.
struct StormWatch {
  /// A board that is asked for again and again.
  struct Question: Hashable {
    var stop: String
    var window: Int
    var more: String

    var path: String {
      "/api/stationboard?stop_id=\(stop)&limit=500&window_minutes=\(window)\(more)"
    }
  }

  /// What was seen, so that a test knows that it saw something.
  struct Counts {
    var boards = 0
    var rows = 0
    var late = 0
    var cancelled = 0
    var skipped = 0
    var extra = 0
    var platforms = 0
    var unknown = 0
    var notModified = 0
    var noContent = 0
    var statuses: [String: Int] = [:]
    var alertStatuses: [String: Int] = [:]
    var modes: [String: Int] = [:]
    var failures = 0
  }

  /// What a client knows of a board.
  private struct Client {
    var contents: [String: [UInt8]] = [:]
    var tags: [[UInt8]: String] = [:]
    var last: (tag: String, sourceTime: String?, visible: [UInt8])?
  }

  let stage: StormStage
  private(set) var counters = Counts()
  private var generator: SplitMix64
  private var clients: [Question: Client] = [:]

  /// More differences than this are not worth telling.
  private static let mostFailures = 12

  init(_ stage: StormStage, seed: UInt64) {
    self.stage = stage
    generator = SplitMix64(seed: seed)
  }

  /// The next random number.
  mutating func random(_ range: Range<Int64>) -> Int64 {
    Int64.random(in: range, using: &generator)
  }

  /// Whether so much is wrong that nothing more is to be learned.
  var isHopeless: Bool { counters.failures > Self.mostFailures }

  private mutating func question() -> Question {
    let station = StormNetwork.stations[Int(random(0..<8))]
    guard random(0..<4) == 0 else { return Question(stop: station, window: 60, more: "") }
    let platform = StormNetwork.platforms(of: station)[Int(random(0..<2))]
    return Question(stop: platform, window: 30, more: "&include_alerts=0")
  }

  /// Asks for the board of a random stop, and compares.
  ///
  /// - Parameters:
  ///   - truth: What is true; nothing compares no rows.
  ///   - expected: What else the board is to say.
  /// - Throws: What asking throws.
  mutating func compare(_ truth: StormGroundTruth?, _ expected: Expected) async throws {
    let question = question()
    let now = stage.instant
    let before = clients[question]?.last
    let unchanged = try await ask(question, knowing: before)
    let board = StormBoard(try await stage.probe.get(question.path))
    counters.boards += 1
    expect(board.status == 200, "\(question.path): \(board.status)")
    compare(board, with: expected, question, now)
    if let truth { try compare(board, with: truth, question, now) }
    remember(board, question)
    judge(unchanged, board, before, question)
  }

  // MARK: Conditions

  /// Asks whether anything has changed: with an entity tag, or with a source time.
  private mutating func ask(
    _ question: Question,
    knowing before: (tag: String, sourceTime: String?, visible: [UInt8])?
  ) async throws -> StormBoard? {
    guard let before else { return nil }
    guard random(0..<3) == 0, let since = before.sourceTime else {
      let answer = try await stage.probe.get(question.path, headers: [.ifNoneMatch: before.tag])
      return StormBoard(answer)
    }
    return StormBoard(try await stage.probe.get(question.path + "&since_rt=\(since)&if_board=1"))
  }

  /// An answer without a board means that the board looks as it did.
  private mutating func judge(
    _ unchanged: StormBoard?,
    _ board: StormBoard,
    _ before: (tag: String, sourceTime: String?, visible: [UInt8])?,
    _ question: Question
  ) {
    guard let unchanged, let before else { return }
    let same = board.visible == before.visible
    switch unchanged.status {
    case 304:
      counters.notModified += 1
      expect(
        same,
        "304 for \(before.tag), and \(question.path) looks different\(Self.difference(before.visible, board.visible))"
      )
      expect(unchanged.entityTag == before.tag, "304 with another entity tag")
    case 204:
      counters.noContent += 1
      expect(
        same,
        "204, and \(question.path) looks different\(Self.difference(before.visible, board.visible))"
      )
    default:
      expect(unchanged.status == 200, "\(question.path): \(unchanged.status)")
      expect(unchanged.visible == board.visible, "two boards of one instant differ")
    }
  }

  /// One entity tag, one content, and the other way round.
  private mutating func remember(_ board: StormBoard, _ question: Question) {
    var client = clients[question] ?? Client()
    if let content = client.contents[board.entityTag] {
      expect(
        content == board.visible,
        "\(board.entityTag) of \(question.path) names two contents\(Self.difference(content, board.visible))"
      )
    }
    if let tag = client.tags[board.visible] {
      expect(
        tag == board.entityTag,
        "\(tag) and \(board.entityTag) name one content of \(question.path)"
      )
    }
    // A few thousand contents are enough to tell.
    if client.contents.count > 500 { client = Client() }
    client.contents[board.entityTag] = board.visible
    client.tags[board.visible] = board.entityTag
    client.last = (board.entityTag, board.meta["rtFetchedAt"] as? String, board.visible)
    clients[question] = client
  }

  private static func difference(_ left: [UInt8], _ right: [UInt8]) -> String {
    let left = String(decoding: left, as: UTF8.self)
    let right = String(decoding: right, as: UTF8.self)
    let same = zip(left, right).prefix { $0 == $1 }.count
    return
      "\n  \(left.dropFirst(max(0, same - 200)).prefix(300))\n  \(right.dropFirst(max(0, same - 200)).prefix(300))"
  }

  // MARK: What a board says

  /// What a board is to say of realtime as a whole.
  struct Expected {
    /// The source time of the publication in use, in seconds since 1970-01-01T00:00:00Z.
    var sourceTime: Int64?
    var status: String
    var alertsStatus: String
    /// The range in which the next publication is expected, in milliseconds since
    /// 1970-01-01T00:00:00Z; `nil` without a rhythm.
    var nextExpected: ClosedRange<Int64>?
  }

  /// Whether a promise is of the time to come, or none is made because that time is over.
  private static func isRight(_ next: Int64?, _ range: ClosedRange<Int64>?, at now: Int64) -> Bool {
    guard let range else { return next == nil }
    guard let next else { return range.lowerBound <= now }
    return next >= now && range.contains(next)
  }

  private mutating func compare(
    _ board: StormBoard,
    with expected: Expected,
    _ question: Question,
    _ now: Int64
  ) {
    let wantsAlerts = !question.more.contains("include_alerts=0")
    let status = board.meta["rtStatus"] as? String ?? ""
    let alerts = board.meta["alertsStatus"] as? String ?? ""
    let mode = board.meta["responseMode"] as? String ?? ""
    counters.statuses[status, default: 0] += 1
    counters.alertStatuses[alerts, default: 0] += 1
    counters.modes[mode, default: 0] += 1
    let rightStatus = Self.refined(expected.status, board, now)
    expect(status == rightStatus, "rtStatus is \(status), not \(rightStatus)")
    let word = wantsAlerts ? expected.alertsStatus : "disabled"
    expect(alerts == word, "alertsStatus is \(alerts), not \(word)")
    let isFull = status == "applied" && (alerts == "applied" || !wantsAlerts)
    expect(mode == (isFull ? "full" : "degraded_static"), "\(mode) with \(status) and \(alerts)")
    expect(board.headers[.mdRealtimeStatus] == status, "the header's status")
    let age = expected.sourceTime.map { now - $0 * 1_000 }
    for (name, value) in [
      ("rt.ageMs", board.rt["ageMs"] as? Int64),
      ("rt.cacheAgeMs", board.rt["cacheAgeMs"] as? Int64),
      ("meta.rtCacheAgeMs", board.meta["rtCacheAgeMs"] as? Int64),
      ("x-md-rt-age-ms", board.headers[.mdRealtimeAge].flatMap { Int64($0) }),
    ] {
      let wanted = age ?? (name.hasPrefix("x-") ? -1 : nil)
      let distance = value.flatMap { value in wanted.map { abs(value - $0) } }
      expect(
        wanted == nil ? value == nil : distance.map { $0 <= 1 } ?? false,
        "\(name) is \(value.map(String.init) ?? "null"), not \(wanted.map(String.init) ?? "null")"
      )
    }
    let fetched = StormBoard.instant(board.meta["rtFetchedAt"]).map { Int64($0) }
    expect(fetched == expected.sourceTime, "rtFetchedAt")
    let next = StormBoard.instant(board.meta["nextExpectedAt"]).map {
      Int64(($0 * 1_000).rounded())
    }
    expect(
      Self.isRight(next, expected.nextExpected, at: now),
      "nextExpectedAt is \(next ?? 0), not in \(expected.nextExpected ?? 0...0) at \(now)"
    )
  }

  /// A fresh feed is applied to a board only if one of the departures that could carry it does.
  private static func refined(_ status: String, _ board: StormBoard, _ now: Int64) -> String {
    guard status == "applied" else { return status }
    let carries = board.departures.contains { $0["realtimeAt"] is String }
    let couldCarry = board.rows.contains { row in
      ((row.scheduled ?? 0) * 1_000 - now) < 1_800_000
    }
    return couldCarry && !carries ? "partial" : "applied"
  }

  private mutating func compare(
    _ board: StormBoard,
    with truth: StormGroundTruth,
    _ question: Question,
    _ now: Int64
  ) throws {
    let stop = try #require(stage.feed.timetable.stop(id: question.stop))
    let wanted = truth.rows(at: stop, now: now, window: question.window)
    let rows = board.rows
    let shown = rows.sorted { "\($0)" < "\($1)" }
    counters.rows += rows.count
    for row in rows {
      if let delay = row.delay, delay > 60, !row.isCancelled { counters.late += 1 }
      if row.reason == "CANCELED_TRIP" { counters.cancelled += 1 }
      if row.reason == "SKIPPED_STOP" { counters.skipped += 1 }
      if row.isExtra { counters.extra += 1 }
      if row.previousPlatform != nil { counters.platforms += 1 }
      if row.predicted == nil, !row.isCancelled { counters.unknown += 1 }
    }
    let missing = wanted.filter { !shown.contains($0) }.map { "  missing \($0)" }
    let wrong = shown.filter { !wanted.contains($0) }.map { "  wrong   \($0)" }
    expect(
      shown == wanted,
      "\(question.path) at \(now), feed of \(truth.inUse ?? 0):\n"
        + (missing + wrong).joined(separator: "\n")
    )
    let times = rows.map { $0.predicted ?? $0.scheduled ?? 0 }
    expect(times == times.sorted(), "the rows of \(question.path) are not in order")
    compareAges(board, truth, now)
  }

  /// Each departure's realtime says of when it is, and how fresh that is.
  private mutating func compareAges(_ board: StormBoard, _ truth: StormGroundTruth, _ now: Int64) {
    for departure in board.departures {
      guard let known = StormBoard.instant(departure["realtimeAt"]) else { continue }
      let age = Double(now) / 1_000 - known
      let word = age <= 45 ? "fresh" : age <= 180 ? "ageing" : "stale"
      expect(departure["realtimeFreshness"] as? String == word, "\(word) at \(age) s")
      // A vehicle's last report is at most 20 s older than the publication.
      let times = truth.times.map { Double($0) }
      expect(
        times.contains { ($0 - 20...$0).contains(known) },
        "realtimeAt \(known), feeds of \(times)"
      )
    }
  }

  /// Tells what is wrong, with the place in the simulation.
  private mutating func expect(_ isRight: Bool, _ words: @autoclosure () -> String) {
    guard !isRight else { return }
    counters.failures += 1
    guard counters.failures <= Self.mostFailures else { return }
    Issue.record("\(words()) [\(stage.instant)]")
  }
}
