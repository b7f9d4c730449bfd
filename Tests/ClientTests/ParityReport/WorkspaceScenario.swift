import Foundation
import ParityReport

/// The recordings of an honest client of workspaces with honest agents, as members that a test may
/// change.
struct WorkspaceScenario {
  var polled: [[String: Any]] = []
  var pushed: [[String: Any]] = []
  var truth: [[String: Any]] = []

  private static let begin: Int64 = 1_795_287_850_241
  private var seed: UInt64

  /// Simulates forty minutes idle, ten active, ten recent and ten in the background.
  ///
  /// - Parameters:
  ///   - seed: The seed, which determines everything.
  ///   - wholeList: The size of a list in bytes.
  ///   - every: After how many responses "not modified" is omitted once, when idle.
  init(seed: UInt64 = 5, wholeList: Int64 = 20_000, every: Int = 120) {
    self.seed = seed
    let changes = agents(from: Self.begin + 2_400_000, until: Self.begin + 3_600_000)
    poll(changes, wholeList, every)
    push(changes, wholeList)
  }

  private mutating func generator(_ range: ClosedRange<Int64>) -> Int64 {
    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return range.lowerBound + Int64(seed >> 33) % (range.upperBound - range.lowerBound + 1)
  }

  private struct Change {
    var at: Int64
    var shown: [String: Any]
  }

  private mutating func agents(from begin: Int64, until end: Int64) -> [Change] {
    var changes: [Change] = []
    var shown: [String: Any] = [
      "event": "shown", "worktree": "/w/a", "state": "idle", "todos": "p",
    ]
    var at = begin + 5_000
    let plans = ["ippp", "cipp", "ccip", "ccci", "cccc"]
    var step = 0
    while at < end - 60_000 {
      let name = step % 2 == 0 ? "todos" : "state"
      let value =
        step % 2 == 0 ? plans[step / 2 % plans.count] : step % 4 == 1 ? "working" : "needs_you"
      shown[name] = value
      let instant = Date(timeIntervalSince1970: Double(at) / 1_000)
        .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
      truth.append([
        "event": name, "at": instant, "written": instant, "worktree": "/w/a", name: value,
      ])
      changes.append(Change(at: at, shown: shown))
      at += generator(9_000...16_000)
      step += 1
    }
    return changes
  }

  private mutating func poll(_ changes: [Change], _ wholeList: Int64, _ every: Int) {
    var at = Self.begin
    var number: Int64 = 0
    var known = 0
    var quiet = 0
    for (cadence, minutes) in [(10_000, 40), (1_500, 10), (3_000, 10), (30_000, 10)]
      as [(Int64, Int64)]
    {
      let end = at + minutes * 60_000
      while at < end {
        number += 1
        let length = generator(4...37)
        let next = changes.prefix { $0.at <= at + length / 2 }.count
        let isFull = number == 1 || quiet == every
        let isChangeNotice = next > known || number == 1
        let bytes =
          number == 1 ? wholeList : isChangeNotice ? generator(900...1_400) : isFull ? 71 : 0
        quiet = isFull ? 0 : quiet + 1
        polled.append([
          "resource": "GET w", "generation": number, "startedAt": at, "endedAt": at + length,
          "durationMs": length, "status": bytes > 0 ? 200 : 304,
          "outcome": bytes > 0 ? "content" : "unchanged", "bytes": bytes,
          "conditional": !isFull, "changed": isChangeNotice, "cadenceMs": cadence,
          "origin": "schedule",
        ])
        let isWhole = number == 1
        wire(\.polled, at + length, head: 240, body: bytes, isStream: false, isWhole: isWhole)
        for change in changes[known..<next] {
          polled.append(change.shown.merging(["at": at + length + generator(1...9)]) { $1 })
        }
        known = next
        at += cadence + generator(-cadence / 12...cadence / 12)
      }
    }
  }

  private mutating func push(_ changes: [Change], _ wholeList: Int64) {
    var events: [(at: Int64, change: Change?)] = changes.map { ($0.at + generator(20...300), $0) }
    var at = Self.begin
    while at < Self.begin + 4_200_000 {
      events.append((at, nil))
      at += 15_000 + generator(-20...20)
    }
    var number: Int64 = 0
    for event in events.sorted(by: { $0.at < $1.at }) {
      guard let change = event.change else {
        number += 1
        guard number == 1 else {
          // A heartbeat.
          wire(\.pushed, event.at, head: 0, body: 3, isStream: true)
          continue
        }
        let (length, bytes) = (generator(4...37), wholeList)
        pushed.append([
          "resource": "GET w", "generation": number, "startedAt": event.at,
          "endedAt": event.at + length, "durationMs": length, "status": bytes > 0 ? 200 : 304,
          "outcome": bytes > 0 ? "content" : "unchanged", "bytes": bytes,
          "conditional": bytes == 0, "changed": bytes > 0, "cadenceMs": 60_000,
          "origin": "schedule",
        ])
        wire(\.pushed, event.at + length, head: 240, body: bytes, isStream: false, isWhole: true)
        continue
      }
      wire(\.pushed, event.at, head: 0, body: generator(700...900), isStream: true)
      pushed.append(change.shown.merging(["at": event.at + generator(0...4)]) { $1 })
    }
  }

  private mutating func wire(
    _ member: WritableKeyPath<Self, [[String: Any]]>,
    _ at: Int64,
    head: Int64,
    body: Int64,
    isStream: Bool,
    isWhole: Bool = false
  ) {
    self[keyPath: member].append([
      "event": "wire", "at": at, "sent": 120, "head": head, "body": body, "stream": isStream,
      "whole": isWhole,
    ])
  }

  /// Returns the indices of the lines that have a value.
  static func places(_ lines: [[String: Any]], _ name: String, _ value: String) -> [Int] {
    lines.indices.filter { lines[$0][name] as? String == value }
  }

  private static func bytes(_ lines: [[String: Any]]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for line in lines {
      bytes += try JSONSerialization.data(withJSONObject: line, options: .sortedKeys)
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  /// Returns the report about it.
  func report() throws -> WorkspacesReport {
    WorkspacesReport(
      [
        Recording(name: "polled.jsonl", try Self.bytes(polled)),
        Recording(name: "pushed.jsonl", try Self.bytes(pushed)),
      ],
      [AgentGroundTruth(name: "truth.jsonl", try Self.bytes(truth))]
    )
  }
}

extension WorkspacesReport {
  /// The names of all gates that are not passed.
  var failed: [String] {
    (gatesOfRecordings.joined() + gates).filter { !$0.isPassed }.map(\.id)
  }
}
