import Freshness
import FreshnessTesting
import FreshnessWire
import Testing

/// A machine behind the wire form: all input and output passes as words.
private struct WiredMachine: ConformingMachine {
  private var wired: WireMachine
  private var now = Instant.start

  init(policy: Policy, context: Context) throws {
    wired = try WireMachine(words: context.words() + policy.words())
  }

  mutating func handle(_ event: Event, at now: Instant, random: RandomSample) -> Effects {
    self.now = now
    do {
      let words = try [now.milliseconds, Int64(random.bits)] + event.words()
      return try Effects(words: wired.handle(words))
    } catch {
      Issue.record("\(event) did not pass: \(error)")
      return Effects()
    }
  }

  private func appearance(_ instant: Instant) -> WireState {
    do {
      return try WireState(words: wired.appearance([instant.milliseconds]))
    } catch {
      Issue.record("the appearance did not pass: \(error)")
      return WireState(wired.machine, at: instant)
    }
  }

  var alarm: Instant? { appearance(now).alarm }
  var outstanding: Ticket? { appearance(now).outstanding }
  var snapshot: Snapshot? { appearance(now).snapshot }
  var failure: Failure? { appearance(now).failure }
  var isLoading: Bool { appearance(now).isLoading }
  var isStreaming: Bool { appearance(now).isStreaming }
  var hasObservers: Bool { appearance(now).hasObservers }
  var failuresInARow: Int32 { appearance(now).failuresInARow }
  var lifecycle: Lifecycle { appearance(now).lifecycle }
  var connectivity: Connectivity { appearance(now).connectivity }
  var context: Context { appearance(now).context }
  var nextRequest: NextRequest { appearance(now).nextRequest }

  func pace(at now: Instant) -> Pace { appearance(now).pace }

  func label(at now: Instant) -> FreshnessLabel { appearance(now).label.label }
}

@Suite("Conformance")
struct ConformanceTests {
  @Test
  func `Every conformance vector holds behind the wire form`() throws {
    let vectors = try ConformanceSuite.vectors()
    #expect(vectors.count > 100)
    let mismatches = try ConformanceRun.check(vectors) { policy, context in
      try WiredMachine(policy: policy, context: context)
    }
    for mismatch in mismatches { Issue.record("\(mismatch)") }
  }
}
