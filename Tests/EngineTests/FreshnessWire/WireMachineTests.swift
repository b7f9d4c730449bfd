import FreshnessWire
import Testing

@testable import Freshness

@Suite("Machines that speak in words")
struct WireMachineTests {
  @Test(arguments: Walk.policies.indices)
  func `Words order and show what the machine itself orders and shows`(index: Int) throws {
    var walk = Walk(seed: UInt64(index) + 100)
    let policy = Walk.policies[index]
    let context = Context(question: 1)
    var native = RefreshMachine(policy: policy, context: context)
    var diagnostics = Diagnostics(policy: policy)
    var wired = try WireMachine(words: context.words() + policy.words())
    for count in 1...5_000 {
      let (event, now, random) = walk.step(native)
      let effects = native.handle(event, at: now, random: random)
      diagnostics.record(effects)
      let words = try wired.handle([now.milliseconds, Int64(random.bits)] + event.words())
      try #require(try Effects(words: words) == effects.carried, "event \(count): \(event)")
      let appearance = try WireState(words: wired.appearance([now.milliseconds]))
      try #require(appearance == WireState(native, at: now), "event \(count): \(event)")
      let label = try WireLabel(words: wired.label([now.milliseconds]))
      try #require(label == WireLabel(native.label(at: now)))
    }
    #expect(wired.machine == native)
    #expect(wired.counters == diagnostics.counters)
    #expect(diagnostics.counters.requests > 200)
  }

  @Test
  func `Any policy the wire lets in is survived`() throws {
    var generator = RandomSource(seed: 5)
    for seed in 0..<300 {
      var walk = Walk(seed: UInt64(seed))
      let policy = generator.policy()
      var wired = try WireMachine(words: Context(question: 1).words() + policy.words())
      for _ in 0..<60 {
        let (event, now, random) = walk.step(wired.machine)
        let words = try wired.handle([now.milliseconds, Int64(random.bits)] + event.words())
        _ = try Effects(words: words)
      }
    }
  }

  @Test
  func `A refused message leaves the machine as it was`() throws {
    let policy = Policy.workspaces
    var wired = try WireMachine(words: Context(question: 1).words() + policy.words())
    _ = try wired.handle([0, 0] + Event.started.words())
    let before = wired
    #expect(throws: WireError(.outOfRange, at: 1)) { try wired.handle([5, -1, 5]) }
    #expect(throws: WireError(.tooShort, at: 2)) { try wired.handle([5, 1]) }
    #expect(throws: WireError(.unknownNumber, at: 2)) { try wired.handle([5, 1, 28]) }
    #expect(throws: WireError(.tooLong, at: 3)) { try wired.handle([5, 1, 5, 0]) }
    #expect(wired == before)
  }

  @Test
  func `A buffer that is too small is refused before anything happens`() throws {
    var wired = try WireMachine(words: Context(question: 1).words() + Policy.jobs.words())
    let before = wired
    let words = try [0, 0] + Event.started.words()
    var buffer = [Int64](repeating: 7, count: Wire.longestMessage - 1)
    #expect(throws: WireError(.noRoom, at: 0)) {
      try words.withUnsafeBufferPointer { (input) throws(WireError) in
        try buffer.withUnsafeMutableBufferPointer { (output) throws(WireError) in
          try wired.handle(input, into: output)
        }
      }
    }
    #expect(wired == before)
    #expect(buffer.allSatisfy { $0 == 7 })
  }
}
