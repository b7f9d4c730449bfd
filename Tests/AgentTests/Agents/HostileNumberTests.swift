import AgentSimulation
import Agents
import StrictJSON
import Testing
import Workspaces

/// Logs belong to others: whatever number is in one, it is read on.
struct HostileNumberTests {
  /// What is put in the place of every number and of every time.
  private static let values: [JSONValue] = [
    .whole(.min), .whole(.max), .whole(-1), .whole(-62_200_000_000_000),
    .whole(1_790_000_000_000_000_000), .decimal("1e300"), .decimal("1.5"), .string("NaN"),
    .string("9999-12-31T23:59:59Z"), .null, .list([.whole(.max)]),
  ]

  /// All values that come out of one by putting another one in the place of one number or time.
  private func variants(_ value: JSONValue, _ other: JSONValue) -> [JSONValue] {
    switch value {
    case .whole, .decimal: [other]
    case .string(let text): WallTime(text) == nil ? [] : [other]
    case .list(let elements):
      elements.indices.flatMap { index in
        variants(elements[index], other).map { changed in
          var elements = elements
          elements[index] = changed
          return .list(elements)
        }
      }
    case .object(let members):
      members.keys.flatMap { name in
        (members[name].map { variants($0, other) } ?? []).map { changed in
          var members = members
          members[name] = changed
          return .object(members)
        }
      }
    case .null, .bool: []
    }
  }

  private func value(_ line: [UInt8]) throws -> JSONValue {
    try JSONReader.value(of: line, rules: .lenient)
  }

  /// A log of each format with every kind of record that has numbers.
  private func logs() -> [(format: AgentLogFile.Format, lines: [[UInt8]])] {
    let plan = [SimulatedStep(content: "Read", status: "in_progress")]
    func lines(_ writer: some RecordWriter) -> [[UInt8]] {
      var writer = writer
      var lines = writer.begin(isResumed: false, at: second(1))
      lines += writer.prompt("Go", at: second(2))
      lines += writer.title("Going", at: second(3))
      lines += writer.retry("Overloaded", at: second(4))
      lines += writer.plan(plan, at: second(5))
      lines += writer.call(.run("make"), id: "1", at: second(6))
      lines += writer.result(.run("make"), id: "1", at: second(7))
      lines += writer.question("Which?", id: "2", at: second(8))
      lines += writer.answer("2", at: second(9))
      lines += writer.finish("Done.", at: second(10))
      lines += writer.prompt("More", at: second(11))
      lines += writer.finish("Done.", at: second(12))
      return lines
    }
    let numbers = """
      {"at":1790000001000,"event":"prompt","agent":"x","session":7,"version":2,"pid":7,"cwd":"/w",\
      "text":"hi"}
      """
    return [
      (.claude, lines(ClaudeWriter(.claude20, directory: "/w", seed: 1))),
      (.claude, lines(ClaudeWriter(.claude21, directory: "/w", seed: 1))),
      (.codex, lines(CodexWriter(.codex20, directory: "/w", startedAt: second(0), seed: 1))),
      (.codex, lines(CodexWriter(.codex90, directory: "/w", startedAt: second(0), seed: 1))),
      (.neutral, lines(NeutralWriter(agent: "x", directory: "/w", seed: 1))),
      (.neutral, [Array(numbers.utf8)]),
    ]
  }

  @Test func `no number and no time of a log ends the reading, or is shown as it is`() throws {
    var tried = 0
    for (format, lines) in logs() {
      for (place, line) in lines.enumerated() {
        let record = try value(line)
        var before = RegistryStage("/w")
        before.start(7, format == .codex ? .codex : .claudeCode, in: "/w", at: second(0))
        before.write(Array(lines[..<place]), to: "a", format, at: second(12))
        for other in Self.values {
          for variant in variants(record, other) {
            var stage = before
            // Twice, as a log repeats the tokens of an answer.
            stage.write([variant.bytes, variant.bytes], to: "a", format, at: second(12))
            let after = lines[(place + 1)...].prefix(2)
            stage.write(Array(after), to: "a", format, at: second(12))
            stage.scan(at: second(12))
            stage.scan(at: second(100_000))
            let reading = try #require(stage.agentRegistry.readings(at: second(100_001))["/w"])
            check(reading, variant)
            tried += 1
          }
        }
      }
    }
    #expect(tried > 1_000)
  }

  private func check(_ reading: AgentReading, _ variant: JSONValue) {
    let times =
      reading.activity.agents.map(\.since) + reading.titleHistory.map(\.timestamp)
      + [reading.activity.since, reading.session?.sessionInfo?.sessionStartTime]
    for time in times.compactMap(\.self) {
      #expect(WallTime(time) != nil, "\(time) out of \(variant)")
    }
    guard let stats = reading.session?.stats else { return }
    let counts = [
      stats.totalInputTokens, stats.totalOutputTokens, stats.cacheReadTokens,
      stats.cacheCreationTokens, stats.lastContextSizeTokens,
    ]
    for count in counts.compactMap(\.self) {
      #expect((0...Int(JSONValue.largestNumber)).contains(count), "\(count) out of \(variant)")
    }
  }

  @Test func `no number of the registry ends the reading`() throws {
    let process = ProcessIdentity(number: 7, start: 1)
    let bytes = RegistryText.bytes(
      process: process,
      session: "s",
      directory: "/w",
      status: "idle",
      waitingFor: nil,
      at: second(1)
    )
    let sighting = ProcessSnapshot.Sighting(
      identity: process,
      parent: 1,
      kind: .claudeCode,
      directory: "/w",
      startedAt: second(0)
    )
    for other in Self.values {
      for variant in variants(try value(bytes), other) {
        guard let entry = ClaudeRegistryEntry(variant.bytes) else { continue }
        var agentRegistry = AgentRegistry(worktrees: ["/w"])
        agentRegistry.see(
          ProcessSnapshot(sightings: [sighting], isComplete: true),
          [entry],
          at: second(2)
        )
        let activity = try #require(agentRegistry.readings(at: second(3))["/w"]?.activity)
        #expect(activity.since.map { WallTime($0) != nil } ?? true, "\(variant)")
      }
    }
  }

  @Test func `lines that once ended the server are read on`() {
    var neutral = Lines<NeutralLog>()
    neutral.read(
      "{\"at\":-62200000000000,\"event\":\"prompt\",\"agent\":\"x\",\"cwd\":\"/w\",\"text\":\"hi\"}"
    )
    #expect(neutral.session.prompt?.text == "hi")
    #expect(neutral.session.startedAt == nil, "what no clock can have shown is no time")
    var claude = Lines<ClaudeLog>()
    for id in ["a", "a", "b"] {
      claude.read(
        """
        {"type":"assistant","message":{"id":"\(id)","content":[],"usage":\
        {"input_tokens":9223372036854775807,"cache_read_input_tokens":1,"output_tokens":-5}}}
        """
      )
    }
    #expect(claude.session.tokens.input == TokenCounts.most)
    #expect(claude.session.tokens.output == 0)
    #expect(claude.session.tokens.context == TokenCounts.most)
    var codex = Lines<CodexLog>()
    codex.read(
      """
      {"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":\
      {"input_tokens":-9223372036854775808,"cached_input_tokens":1}}}}
      """
    )
    #expect(codex.session.tokens.input == 0)
    #expect(codex.session.tokens.cacheRead == 1)
  }

  @Test func `times far apart have a difference, and a text`() {
    let (first, last) = (WallTime(milliseconds: .min), WallTime(milliseconds: .max))
    #expect(last.milliseconds(since: first) == .max)
    #expect(first.milliseconds(since: last) == .min)
    #expect(last.advanced(by: 1) == last)
    #expect(first.advanced(by: -1) == first)
    #expect(first.text == "0001-01-01T00:00:00.000Z")
    #expect(last.text == "9999-12-31T23:59:59.999Z")
    #expect(WallTime("1999-12-31T23:59:59Z") == nil)
    #expect(WallTime("2000-01-01T00:00:00Z") != nil)
    #expect(WallTime(told: 1_790_000_000_000_000) == nil, "microseconds")
    #expect(WallTime(told: 1_790_000_000) == nil, "seconds")
  }

  @Test func `a log that began again and again at its greatest length is read on`() {
    var lines = Lines<NeutralLog>()
    for _ in 0..<3 {
      lines.log.handle(.skipped(bytes: .max))
      lines.log.handle(.restarted(.rotated))
    }
    #expect(lines.session.counts.skippedBytes == .max)
  }
}
