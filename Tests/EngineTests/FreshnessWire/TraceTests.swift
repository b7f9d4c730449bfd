import Foundation
import Freshness
import FreshnessWire
import Testing

/// A long run in words, for another build to replay: `Tests/EngineWasm/replay.mjs`.
///
/// The file is a sequence of 64-bit little-endian integers, in frames: what was called (1 create, 2
/// handle, 3 look), the number of the machine, the length of the message, the message, the length of
/// the answer, the answer. A negative length is a refusal, and its answer is the position.
@Suite("Trace")
struct TraceTests {
  private static let events = 100_000

  private struct Trace {
    var words: [Int64] = []
    var refusals = 0
    var requests = 0

    mutating func record(
      _ call: Int64,
      machine: Int,
      _ message: [Int64],
      _ body: () throws(WireError) -> [Int64]
    ) -> [Int64]? {
      words += [call, Int64(machine), Int64(message.count)] + message
      do throws(WireError) {
        let answer = try body()
        words.append(Int64(answer.count))
        words += answer
        return answer
      } catch {
        refusals += 1
        words += [-Int64(error.code.rawValue), Int64(error.position)]
        return nil
      }
    }
  }

  /// Lets eight hosts and their machines run side by side.
  private func run(seed: UInt64) throws -> Trace {
    var trace = Trace()
    var generator = RandomSource(seed: seed)
    var walks = (0..<8).map { Walk(seed: seed &* 31 &+ UInt64($0)) }
    var machines: [WireMachine] = []
    for index in walks.indices {
      // The last two have policies no person would write.
      let known = Walk.policies.indices.contains(index) ? Walk.policies[index] : nil
      let message = try Context(question: 1).words() + (known ?? generator.policy()).words()
      _ = trace.record(1, machine: index, message) { () throws(WireError) in
        machines.append(try WireMachine(words: message))
        return []
      }
    }
    for count in 0..<Self.events {
      let index = generator.below(machines.count)
      let (event, now, random) = walks[index].step(machines[index].machine)
      var message = try [now.milliseconds, Int64(random.bits)] + event.words()
      if generator.chance(1, in: 50) { message[generator.below(message.count)] = generator.word() }
      let answer = trace.record(2, machine: index, message) { () throws(WireError) in
        try machines[index].handle(message)
      }
      if let answer, try Effects(words: answer).request != nil { trace.requests += 1 }
      guard count % 16 == 0 else { continue }
      _ = trace.record(3, machine: index, [now.milliseconds]) { () throws(WireError) in
        try machines[index].appearance([now.milliseconds])
      }
    }
    return trace
  }

  @Test
  func `A run of a hundred thousand events is the same each time, and is written for others`()
    throws
  {
    let trace = try run(seed: 2_026)
    #expect(trace.requests > 5_000)
    #expect(trace.refusals > 500)
    #expect(try run(seed: 2_026).words == trace.words)
    guard let path = ProcessInfo.processInfo.environment["FRESHNESS_TRACE"] else { return }
    let bytes = trace.words.map(\.littleEndian).withUnsafeBytes { Data($0) }
    let file = URL(filePath: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try bytes.write(to: file)
  }
}
