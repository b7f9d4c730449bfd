import Freshness
import FreshnessTesting
import FreshnessWire
import Testing

/// A machine behind the wire form: all input and output passes as words.
private struct WiredMachine: ConformingMachine {
  private var wired: WireMachine
  private var now = Moment.start

  init(policy: Policy, context: Context) throws {
    wired = try WireMachine(words: context.words() + policy.words())
  }

  mutating func handle(_ event: Event, at now: Moment, draw: RandomSample) -> Effects {
    self.now = now
    do {
      let words = try [now.milliseconds, Int64(draw.bits)] + event.words()
      return try Effects(words: wired.handle(words))
    } catch {
      Issue.record("\(event) did not pass: \(error)")
      return Effects()
    }
  }

  private func look(_ moment: Moment) -> WireState {
    do {
      return try WireState(words: wired.look([moment.milliseconds]))
    } catch {
      Issue.record("the look did not pass: \(error)")
      return WireState(wired.machine, at: moment)
    }
  }

  var alarm: Moment? { look(now).alarm }
  var outstanding: Ticket? { look(now).outstanding }
  var snapshot: Snapshot? { look(now).snapshot }
  var failure: Failure? { look(now).failure }
  var isLoading: Bool { look(now).isLoading }
  var isStreaming: Bool { look(now).isStreaming }
  var hasObservers: Bool { look(now).hasObservers }
  var failuresInARow: Int32 { look(now).failuresInARow }
  var lifecycle: Lifecycle { look(now).lifecycle }
  var connectivity: Connectivity { look(now).connectivity }
  var context: Context { look(now).context }
  var nextRequest: NextRequest { look(now).nextRequest }

  func pace(at now: Moment) -> Pace { look(now).pace }

  func label(at now: Moment) -> FreshnessLabel { look(now).label.label }
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
