import Freshness
import Testing

@testable import FreshnessWire

@Suite("Round trips")
struct RoundTripTests {
  @Test(arguments: 0..<RandomSource.eventKinds)
  func `Every kind of event comes back as it went out`(kind: Int) throws {
    var generator = RandomSource(seed: UInt64(kind))
    for _ in 0..<500 {
      let event = generator.event(kind: kind)
      let words = try event.words()
      #expect(try Event(words: words) == event)
      #expect(try Event(words: words).words() == words)
    }
  }

  @Test
  func `Every policy comes back as it went out`() throws {
    var generator = RandomSource(seed: 77)
    for _ in 0..<2_000 {
      let policy = generator.policy()
      #expect(try Policy(words: policy.words()) == policy)
    }
    for preset in Walk.policies { #expect(try Policy(words: preset.words()) == preset) }
  }

  @Test
  func `Contexts and answers come back as they went out`() throws {
    var generator = RandomSource(seed: 78)
    for _ in 0..<2_000 {
      let context = generator.context()
      #expect(try Context(words: context.words()) == context)
      let answer = generator.answer()
      #expect(try Answer(words: answer.words()) == answer)
    }
  }

  @Test
  func `The presets are those of the machine`() throws {
    let policies: [WirePreset: Policy] = [
      .departuresWeb: .departuresWeb, .departuresNative: .departuresNative,
      .departuresWeb5s: .departuresWeb5s, .workspaces: .workspaces, .jobs: .jobs,
    ]
    for (preset, policy) in policies {
      #expect(try presetWords([preset.wireNumber]) == policy.words())
    }
    var policy = Policy(every: .milliseconds(1_234))
    #expect(try presetWords([WirePreset.every.wireNumber, 1_234, 0]) == policy.words())
    policy.push = Policy.Push()
    #expect(try presetWords([WirePreset.every.wireNumber, 1_234, 1]) == policy.words())
    #expect(policies.count + 1 == WirePreset.allCases.count)
  }

  private func presetWords(_ words: [Int64]) throws -> [Int64] {
    var buffer = [Int64](repeating: 0, count: Wire.longestMessage)
    let count = try words.withUnsafeBufferPointer { (input) throws(WireError) in
      try buffer.withUnsafeMutableBufferPointer { (output) throws(WireError) in
        try WirePreset.policy(input, into: output)
      }
    }
    return Array(buffer[..<Int(count)])
  }

  @Test
  func `Times beyond the limit are written as the limit`() throws {
    let never = try Event.paceRequested(.longest).words()
    #expect(try Event(words: never) == .paceRequested(Instant.Duration(milliseconds: Wire.limit)))
    var effects = Effects()
    effects.alarm = Instant(milliseconds: .min)
    #expect(try Effects(words: effects.words()).alarm == Instant(milliseconds: -Wire.limit))
  }

  @Test
  func `Numbers of the host beyond the limit are refused, not changed`() {
    for number in [Wire.limit + 1, -Wire.limit - 1, .min, .max] {
      #expect(throws: WireError(.outOfRange, at: 1)) {
        try Event.wrote(Revision(number)).words()
      }
    }
  }

  @Test
  func `The longest message has room`() throws {
    var policy = Policy(every: .seconds(1), jitter: .signed(.zero, .zero))
    policy.ladderJitter = policy.jitter
    policy.alignment = .departures
    policy.push = Policy.Push()
    policy.ladder = Array(repeating: .zero, count: Int(Wire.longestLadder))
    let words = try Context(question: 1).words() + policy.words()
    #expect(words.count <= Wire.longestMessage)
    #expect(try WireMachine(words: words).machine.policy == policy)
  }
}
