import Foundation
import Freshness
import ParityReport
import Testing

/// Every kind of fake fails, for its own reason and no other.
@Suite("Reports on fakes")
struct FakeTests {
  private static func honest(
    _ policy: Policy = .departuresWeb,
    seed: UInt64 = 3,
    length: Int64 = 600_000,
    _ change: (inout SimulatedServer) -> Void = { _ in }
  ) throws -> EditedRecording {
    var server = SimulatedServer(seed: seed)
    change(&server)
    return try EditedRecording(
      SimulatedClient.record(policy, &server, seed: seed, length: length)
    )
  }

  private func expectOnly(
    _ gate: String,
    _ recording: EditedRecording,
    says words: String,
    lines: Int? = nil
  ) throws {
    let report = try recording.report()
    #expect(report.failed == [gate], "\(ReportText.text(report))")
    let findings = report.gate(gate)?.findings ?? []
    #expect(findings.contains { $0.says.contains(words) }, "\(findings)")
    if let lines { #expect(findings.first?.count == lines, "\(findings)") }
    #expect(!report.isPassed)
    #expect(ReportText.text(report).contains("FAIL  \(gate)"))
  }

  @Test
  func `Four samples`() throws {
    var fake = try Self.honest()
    fake.lines = Array(fake.lines.prefix(4))
    try expectOnly("enough_samples", fake, says: "4 answers show nothing", lines: 4)
  }

  @Test(arguments: [-3_600_000, 3_600_000, 31_000] as [Int64])
  func `Clocks apart`(span: Int64) throws {
    var fake = try Self.honest()
    fake.shift(["startedAt", "endedAt"], by: span)
    try expectOnly("clocks_agree", fake, says: "clocks of server and client are apart")
  }

  @Test
  func `The same payload again and again, with new times`() throws {
    var fake = try Self.honest()
    let contents = fake.contents
    for (number, index) in contents.enumerated() {
      fake.lines[index]["digest"] = fake.lines[contents[number % 4]]["digest"]
    }
    try expectOnly("payloads_distinct", fake, says: "came before", lines: contents.count - 4)
  }

  @Test
  func `Payloads of other stops`() throws {
    var fake = try Self.honest()
    for index in fake.contents.prefix(2) { fake.lines[index]["answered"] = "8576391" }
    try expectOnly("stop_echoed", fake, says: "asked for \"8501120\" and got \"8576391\"", lines: 2)
    for index in fake.contents { fake.lines[index]["answered"] = "Parent8501120" }
    #expect(try fake.report().isPassed)
  }

  @Test
  func `Ages that were made younger`() throws {
    var fake = try Self.honest()
    for index in fake.lines.indices {
      for name in ["rtCacheAgeMs", "ageMs"] {
        fake.lines[index][name] = fake.number(name, index) / 3
      }
    }
    try expectOnly("ages_add_up", fake, says: "do not follow from the times")
  }

  @Test
  func `An age on arrival below the server's own`() throws {
    var fake = try Self.honest()
    for index in fake.contents { fake.lines[index]["ageMs"] = 100 }
    try expectOnly("ages_add_up", fake, says: "do not follow")
  }

  @Test
  func `Times written by hand: round`() throws {
    var fake = try Self.honest()
    for index in fake.lines.indices {
      for name in ["startedAt", "endedAt"] {
        fake.lines[index][name] = fake.number(name, index) / 100 * 100
      }
      fake.lines[index]["durationMs"] =
        fake.number("endedAt", index) - fake.number("startedAt", index)
    }
    try expectOnly("looks_measured", fake, says: "values of startedAt are multiples of 100 ms")
  }

  @Test
  func `Metadata written by hand: round ages`() throws {
    var fake = try Self.honest()
    for index in fake.lines.indices {
      let age = fake.number("rtCacheAgeMs", index) / 1_000 * 1_000
      fake.lines[index]["rtCacheAgeMs"] = age
    }
    try expectOnly("looks_measured", fake, says: "values of rtCacheAgeMs are multiples of 100 ms")
  }

  @Test
  func `Metadata written by hand: no noise`() throws {
    var fake = try Self.honest()
    let start = fake.number("startedAt", 0)
    for index in fake.lines.indices {
      let old = fake.number("startedAt", index)
      let new = start + Int64(index) * 15_001
      fake.lines[index]["startedAt"] = new
      fake.lines[index]["endedAt"] = new + 120
      fake.lines[index]["durationMs"] = 120
      for name in ["serverTime", "rtFetchedAt"] {
        fake.lines[index][name] = fake.number(name, index) + new - old
      }
    }
    try expectOnly("looks_measured", fake, says: "every request took 120 ms")
  }

  @Test
  func `A client that polls faster than it says`() throws {
    var fake = try Self.honest(.departuresWeb5s)
    let least = (1..<fake.lines.count).map {
      fake.number("startedAt", $0) - fake.number("startedAt", $0 - 1)
    }
    for index in fake.lines.indices { fake.lines[index]["cadenceMs"] = 15_000 }
    try expectOnly(
      "cadence",
      fake,
      says: "the worst is \(least.min() ?? 0) ms at a cadence of 15000 ms, which allows 13800 ms",
      lines: least.count { $0 < 13_800 }
    )
  }

  @Test
  func `A client whose every request is called a person's`() throws {
    var fake = try Self.honest()
    for index in fake.lines.indices { fake.lines[index]["origin"] = "person" }
    try expectOnly("cadence", fake, says: "no interval of the schedule can be judged")
    for index in fake.lines.indices.prefix(4) { fake.lines[index]["origin"] = "schedule" }
    try expectOnly("cadence", fake, says: "intervals were chosen by the schedule")
  }

  @Test
  func `Old realtime that calls itself applied`() throws {
    let fake = try Self.honest { $0.period = nil }
    try expectOnly("applied_age_p95", fake, says: "p95 of the age of applied realtime is")
  }

  @Test
  func `No realtime at all`() throws {
    let fake = try Self.honest { $0.status = .missingCache }
    try expectOnly("applied_age_p95", fake, says: "no answer applies realtime")
  }

  @Test
  func `Unknown modes`() throws {
    var fake = try Self.honest()
    for index in fake.contents.prefix(3) { fake.lines[index]["responseMode"] = "perfect" }
    try expectOnly("known_modes", fake, says: "\"perfect\" is neither a mode", lines: 3)
  }

  @Test
  func `Answers that do not say how fresh they are`() throws {
    var fake = try Self.honest()
    let names = ["rtStatus", "responseMode", "rtFetchedAt", "rtCacheAgeMs", "ageMs"]
    for index in fake.lines.indices where index % 4 == 0 {
      for name in names { fake.lines[index][name] = nil }
    }
    try expectOnly("metadata_coverage", fake, says: "carry freshness fields")
  }

  @Test
  func `Answers in another order`() throws {
    var fake = try Self.honest()
    for index in stride(from: 2, to: 10, by: 4) {
      for name in ["serverTime", "rtFetchedAt", "rtCacheAgeMs", "ageMs"] {
        let other = fake.lines[index + 1][name]
        fake.lines[index + 1][name] = fake.lines[index][name]
        fake.lines[index][name] = other
      }
    }
    try expectOnly("server_time_monotone", fake, says: "goes back 2 times", lines: 2)
  }

  @Test
  func `Samples that were left out`() throws {
    var fake = try Self.honest()
    fake.lines = fake.lines.indices.filter { $0 % 3 != 1 }.map { fake.lines[$0] }
    try expectOnly("nothing_left_out", fake, says: "samples were left out")
  }

  @Test
  func `A client that was dead for a while`() throws {
    var fake = try Self.honest()
    let half = fake.lines.count / 2
    fake.shift(["startedAt", "endedAt", "serverTime", "rtFetchedAt"], by: 300_000) { $0 >= half }
    try expectOnly("no_silence", fake, says: "1 gap between answers", lines: 1)
  }

  @Test
  func `Nothing but confirmations`() throws {
    var policy = Policy.departuresWeb
    policy.unchangedLimit = nil
    policy.unchangedFor = nil
    let fake = try Self.honest(policy) { $0.changePercent = 0 }
    try expectOnly("answer_shares", fake, says: "of the answers say \"not modified\"")
  }

  @Test
  func `Statuses that cannot be`() throws {
    var fake = try Self.honest()
    for index in fake.contents.prefix(2) { fake.lines[index]["status"] = 304 }
    try expectOnly("answers_consistent", fake, says: "cannot have happened", lines: 2)
  }

  @Test
  func `Durations that were made shorter`() throws {
    var fake = try Self.honest()
    for index in fake.lines.indices {
      fake.lines[index]["durationMs"] = fake.number("durationMs", index) / 2
    }
    try expectOnly("durations_add_up", fake, says: "are not end − start")
  }

  @Test
  func `Too many failures`() throws {
    let fake = try Self.honest(length: 3_600_000) { $0.failurePercent = 40 }
    let report = try fake.report()
    #expect(report.failed.contains("failures"))
  }

  @Test
  func `Recordings without evidence are named as such`() throws {
    var fake = try Self.honest()
    for index in fake.lines.indices {
      for name in ["origin", "asked", "answered", "digest", "requestId", "entityTag"] {
        fake.lines[index][name] = nil
      }
    }
    let report = try fake.report()
    #expect(report.failed == ["stop_echoed", "payloads_distinct"])
    #expect(report.gate("stop_echoed")?.findings.first?.says.contains("do not say") == true)
    // A few lines of an older version among newer ones are not a reason to fail.
    var mixed = try Self.honest()
    for index in mixed.contents.prefix(2) {
      for name in ["origin", "asked", "answered", "digest"] { mixed.lines[index][name] = nil }
    }
    #expect(try mixed.report().failed == [])
  }

  @Test
  func `The seed's own evidence fails for every reason it deserves`() throws {
    // Four payloads, two of other stops, 49 to 62 min older than the requests, in another order.
    let ages: [Int64] = [23_463, 12_100, 20_871, 23_983]
    let older: [Int64] = [3_696_205, 3_100_000, 2_928_000, 3_738_000]
    let stops = ["Parent8501120", "8501000", "8576391", "Parent8501120"]
    let lines = (0..<4).map { index in
      let start = 1_772_064_960_000 + Int64(index) * 15_000
      let server = start - older[index]
      return "{\"startedAt\":\(start),\"endedAt\":\(start + 180),\"durationMs\":180,\"status\":200,"
        + "\"outcome\":\"content\",\"serverTime\":\(server),\"rtFetchedAt\":\(server - ages[index]),"
        + "\"rtCacheAgeMs\":\(ages[index]),\"ageMs\":\(ages[index]),\"responseMode\":\"full\","
        + "\"rtStatus\":\"applied\",\"asked\":\"Parent8501120\",\"answered\":\"\(stops[index])\","
        + "\"digest\":\"\(index)\",\"bytes\":20000,\"cadenceMs\":15000}"
    }
    let report = HonestTests.report(lines)
    #expect(
      report.failed == ["enough_samples", "clocks_agree", "server_time_monotone", "stop_echoed"]
    )
  }
}
