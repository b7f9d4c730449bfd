import Freshness
import Hashing

/// The end of every episode: all faults end, and the current data must be on screen within a bound.
///
/// The host is correct, the resource is observed in the foreground, the network is available, and a
/// server answers every request after 100 ms with a new body that has realtime data.
enum Recovery {
  /// The server's revision after recovery, which occurs in no world.
  static let revision = Revision(987_654_321)

  /// Ends the faults of a machine's world and observes its recovery.
  ///
  /// - Returns: The number of events it took.
  static func run<M: Machine>(_ harness: inout Harness<M>, from start: Int64, seed: UInt64) -> Int {
    var random = SplitMix64(seed: seed ^ 0x5EED)
    var now = start
    var events = 0
    var arrival: Int64?
    var ticket: Ticket?
    let limit = start + bound(harness.oracle)
    func note(_ effects: Effects) {
      if effects.cancel == ticket { arrival = nil }
      guard let request = effects.request else { return }
      ticket = request.ticket
      arrival = now + 100
    }
    if let out = harness.machine.outstanding {
      ticket = out
      arrival = now + 100
    }
    let healing: [Event] = [
      .restrained(Restraint()), .connectivity(.online), .lifecycle(.foreground), .started,
      .streamLost,
    ]
    for event in healing where event != .streamLost || harness.machine.isStreaming {
      note(harness.step(event, at: now.instant, random: random.randomSample()))
      events += 1
      guard harness.violation == nil else { return events }
    }
    while harness.machine.snapshot?.revision != revision {
      let alarm = harness.machine.alarm?.milliseconds
      guard let next = [arrival, alarm].compactMap({ $0 }).min(), next <= limit else {
        harness.oracle.expect(
          false,
          .neverDead,
          "no recovery \(limit - start) ms after all faults ended"
        )
        return events
      }
      now = max(next, now)
      if let name = ticket, arrival == next {
        arrival = nil
        let content = Content(revision, validator: Validator(revision.number), hasRealtime: true)
        let answer = Answer(.content(content), status: 200, bytes: 20_000)
        note(harness.step(.answered(name, answer), at: now.instant, random: random.randomSample()))
      } else {
        note(harness.step(.woke, at: now.instant, random: random.randomSample()))
      }
      events += 1
      if harness.violation != nil { return events }
    }
    return events
  }

  /// Returns the longest wait that any rule allows, plus one request.
  private static func bound(_ oracle: ConformanceOracle) -> Int64 {
    let policy = oracle.policy
    let recheck = oracle.wait?.reason == .gone ? policy.recheckGone : policy.recheck
    let waits = [
      recheck.milliseconds + policy.spread.milliseconds,
      policy.retryAfterCap.milliseconds,
      2 * (policy.ladder.map(\.milliseconds).max() ?? 0),
      4 * max(policy.idle.milliseconds, oracle.paceRequested ?? 0),
      2 * (policy.push?.safetyPoll.milliseconds ?? 0),
    ]
    let request = policy.timeout.milliseconds + (policy.longPoll?.milliseconds ?? 0)
    return 2 * request + 2 * (waits.max() ?? 0)
  }
}
