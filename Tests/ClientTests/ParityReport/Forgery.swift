import ConditionalHTTP
import Foundation
import Freshness
import Hashing
import Testing

/// A pair of recordings, of a page and of a terminal, edited in order to pass.
///
/// The first eighteen come from an audit of the report, rebuilt from its description; the last four
/// are similar.
struct Forgery: CustomTestStringConvertible, Sendable {
  let name: String
  /// Whether the report detects it without receipts.
  let isSeen: Bool
  let forge: @Sendable (inout EditedRecording, inout EditedRecording) throws -> Void

  var testDescription: String { name }

  init(
    _ name: String,
    isSeen: Bool = true,
    _ forge: @escaping @Sendable (inout EditedRecording, inout EditedRecording) throws -> Void
  ) {
    self.name = name
    self.isSeen = isSeen
    self.forge = forge
  }

  private static let times = ["startedAt", "endedAt", "serverTime", "rtFetchedAt"]
  private static let clientTimes = ["startedAt", "endedAt"]

  static let all: [Forgery] = [
    Forgery("1 the same file twice") { $1 = $0 },
    Forgery("2 a re-timed copy") {
      $1 = $0
      $1.shift(clientTimes, by: 7_003)
    },
    Forgery("3 a re-timed copy with new names") {
      $1 = $0
      $1.shift(clientTimes, by: 7_003)
      $1.rename()
    },
    Forgery("4 the same with the server's times moved") {
      $1 = $0
      $1.shift(times, by: 7_003)
      $1.rename()
    },
    Forgery("5 four samples") { first, _ in first.lines = Array(first.lines.prefix(4)) },
    Forgery("6 the same as 4 with noise of 40 ms", isSeen: false) { first, second in
      second = first
      second.rename()
      var generator = SplitMix64(seed: 6)
      for index in second.lines.indices {
        let start = second.number("startedAt", index) + 7_003 + Int64(generator.next() % 81) - 40
        let length = second.number("durationMs", index) + Int64(generator.next() % 41)
        let server = second.number("serverTime", index) + 7_003 + Int64(generator.next() % 9)
        let age = server - second.number("rtFetchedAt", index)
        second.lines[index]["startedAt"] = start
        second.lines[index]["endedAt"] = start + length
        second.lines[index]["durationMs"] = length
        second.lines[index]["serverTime"] = server
        second.lines[index]["rtCacheAgeMs"] = age
        second.lines[index]["ageMs"] = age
      }
    },
    Forgery("7 clocks apart") { _, second in second.shift(clientTimes, by: 3_600_000) },
    Forgery("8 every request a person's") { first, _ in
      for index in first.lines.indices { first.lines[index]["origin"] = "person" }
    },
    Forgery("9 ages and source times edited together", isSeen: false) { first, second in
      first.makeYounger()
      second.makeYounger()
    },
    Forgery("10 the three worst of twelve left out and the others renumbered", isSeen: false) {
      first,
      _ in
      first.lines = Array(first.lines.prefix(12))
      let worst = first.lines.indices.dropFirst().dropLast()
        .sorted { first.number("rtCacheAgeMs", $0) > first.number("rtCacheAgeMs", $1) }
        .prefix(3)
      let kept = first.lines.indices.filter { !worst.contains($0) }
      first.lines = kept.map { first.lines[$0] }
      for index in first.lines.indices { first.lines[index]["generation"] = Int64(index + 1) }
    },
    Forgery("11 a client four times too fast that claims a cadence of 3.5 s") { first, second in
      // The lines of the other files, four times as dense.
      let start = first.number("startedAt", 0)
      for index in first.lines.indices {
        let old = first.number("startedAt", index)
        let new = start + (old - start) / 4
        for name in times { first.lines[index][name] = first.number(name, index) + new - old }
        first.lines[index]["cadenceMs"] = 3_500
      }
      second.lines = Array(second.lines.prefix(10))
    },
    Forgery("12 answers in another order") { first, _ in
      for index in stride(from: 2, to: 10, by: 4) {
        for name in ["serverTime", "rtFetchedAt", "rtCacheAgeMs", "ageMs"] {
          let other = first.lines[index + 1][name]
          first.lines[index + 1][name] = first.lines[index][name]
          first.lines[index][name] = other
        }
      }
    },
    Forgery("13 every line about a resource of its own") { first, _ in
      for index in first.lines.indices { first.lines[index]["resource"] = "GET board/\(index)" }
    },
    Forgery("14 two terminals and no page", isSeen: false) { first, second in
      first = try .honest(.departuresNative, kind: .program, seed: 71, start: 9_871)
      second = try .honest(.departuresNative, kind: .program, seed: 72, start: 5_037)
    },
    Forgery("15 another stop written into both", isSeen: false) { first, second in
      first.rename(stop: "8503000")
      second.rename(stop: "8503000")
    },
    Forgery("16 old realtime that is called stale") { first, _ in
      for index in first.lines.indices { first.lines[index]["rtStatus"] = "stale_cache" }
    },
    Forgery("17 an outage cut out") { first, _ in
      first.lines.removeSubrange(8..<20)
      for index in first.lines.indices { first.lines[index]["generation"] = Int64(index + 1) }
    },
    Forgery("18 a part of the day before glued in front") { first, _ in
      var old = first
      old.lines = Array(old.lines.prefix(6))
      old.shift(times, by: -86_400_000)
      old.rename()
      first.lines = old.lines + first.lines
    },
    Forgery("19 younger ages with the old source times") { first, _ in
      for index in first.lines.indices {
        for name in ["rtCacheAgeMs", "ageMs"] {
          first.lines[index][name] = first.number(name, index) / 4
        }
      }
    },
    Forgery("20 durations halved") { first, _ in
      for index in first.lines.indices {
        first.lines[index]["durationMs"] = first.number("durationMs", index) / 2
      }
    },
    Forgery("21 times written by hand") { first, _ in
      for index in first.lines.indices {
        for name in clientTimes {
          first.lines[index][name] = first.number(name, index) / 100 * 100
        }
        first.lines[index]["durationMs"] =
          first.number("endedAt", index) - first.number("startedAt", index)
      }
    },
    Forgery("22 answers put in between") { first, _ in
      for index in stride(from: 9, through: 3, by: -3) {
        var line = first.lines[index]
        for name in times { line[name] = first.number(name, index) + 4_000 }
        line["requestId"] = "put-in-\(index)"
        line["digest"] = "\(900 + index)"
        first.lines.insert(line, at: index + 1)
      }
    },
    Forgery("23 ages 2.4 s younger, within the grain of the times", isSeen: false) {
      first,
      second in
      first.understateAges(by: 2_387)
      second.understateAges(by: 2_387)
    },
  ]
}

extension EditedRecording {
  /// The recording of an honest client of a server that gives receipts.
  static func honest(
    _ policy: Policy,
    kind: AnswerReceipt.Client,
    seed: UInt64,
    start: Int64
  ) throws -> EditedRecording {
    var server = SimulatedServer(seed: seed)
    server.key = ReceiptKey("the secret of the server".utf8)
    return try EditedRecording(
      SimulatedClient.record(policy, &server, seed: seed &* 31, start: start, kind: kind)
    )
  }

  /// Gives all responses other names and bodies.
  fileprivate mutating func rename() {
    for index in lines.indices {
      if lines[index]["digest"] != nil { lines[index]["digest"] = "\(900 + index)" }
      lines[index]["requestId"] = "invented-\(index)"
    }
  }

  /// Replaces the stop everywhere.
  fileprivate mutating func rename(stop: String) {
    for index in lines.indices {
      for name in ["asked", "answered"] where lines[index][name] != nil {
        lines[index][name] = stop
      }
      lines[index]["resource"] = "GET board.example/api/stationboard?stop_id=\(stop)"
    }
  }

  /// Takes something off every age, and leaves the times as they are.
  fileprivate mutating func understateAges(by most: Int64) {
    for index in lines.indices where number("rtCacheAgeMs", index) > most {
      for name in ["rtCacheAgeMs", "ageMs"] { lines[index][name] = number(name, index) - most }
    }
  }

  /// Reduces all ages to a quarter, and moves the source times accordingly.
  fileprivate mutating func makeYounger() {
    for index in lines.indices {
      let less = number("rtCacheAgeMs", index) * 3 / 4
      for name in ["rtCacheAgeMs", "ageMs"] { lines[index][name] = number(name, index) - less }
      lines[index]["rtFetchedAt"] = number("rtFetchedAt", index) + less
    }
  }
}
