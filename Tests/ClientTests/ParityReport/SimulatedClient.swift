import ConditionalHTTP
import Freshness
import FreshnessRuntime
import Hashing

/// Drives the real engine against a simulated server and records it, as a client would.
enum SimulatedClient {
  /// Records some minutes.
  ///
  /// - Parameters:
  ///   - policy: The constants of the client.
  ///   - server: The server; other clients may use it too.
  ///   - seed: The seed of network and client.
  ///   - start: When the client starts, on the server's clock.
  ///   - length: How long it runs, in milliseconds.
  ///   - kind: The kind of client.
  /// - Returns: Its recording.
  static func record(
    _ policy: Policy,
    _ server: inout SimulatedServer,
    seed: UInt64,
    start: Int64 = 5_037,
    length: Int64 = 600_000,
    kind: AnswerReceipt.Client = .program
  ) -> [String] {
    var generator = SplitMix64(seed: seed)
    var machine = RefreshMachine(policy: policy, context: Context(question: 1))
    let origin = WallTime(milliseconds: server.origin + start)
    var records: [String] = []
    var now: Int64 = 0
    var receipt: String?
    var inFlight: (request: Request, arrival: Int64, reply: SimulatedServer.Reply)?
    var effects = step(&machine, .started, at: now, &generator)
    while true {
      if let sample = effects.sample, let evidence = inFlight?.reply.evidence {
        let title = "GET board.example/api/stationboard?stop_id=\(server.stop)"
        let record = SampleRecord(sample, resource: title, origin: origin, evidence: evidence)
        records.append(record.line)
        receipt = evidence.receipt ?? receipt
      }
      if effects.sample != nil { inFlight = nil }
      if let request = effects.request {
        let way = 8 + Int64(generator.next() % 90)
        let after = receipt.flatMap {
          AnswerReceipt.After(number: request.ticket.generation, following: $0)
        }
        let reply = server.reply(to: request, at: start + now + way, of: kind, after: after)
        inFlight = (request, now + way + 5 + Int64(generator.next() % 60), reply)
      }
      let alarm = machine.alarm?.milliseconds
      guard let next = [inFlight?.arrival, alarm].compactMap({ $0 }).min(), next <= length else {
        return records
      }
      now = max(next, now)
      if let out = inFlight, out.arrival == next {
        var answer = out.reply.answer
        answer.deviceTime = WallTime(milliseconds: origin.milliseconds + now)
        effects = step(&machine, .answered(out.request.ticket, answer), at: now, &generator)
      } else {
        effects = step(&machine, .woke, at: now, &generator)
      }
    }
  }

  private static func step(
    _ machine: inout RefreshMachine,
    _ event: Event,
    at now: Int64,
    _ generator: inout SplitMix64
  ) -> Effects {
    let random = RandomSample(bits: UInt32(truncatingIfNeeded: generator.next() >> 16))
    return machine.handle(event, at: Instant(milliseconds: now), random: random)
  }
}
