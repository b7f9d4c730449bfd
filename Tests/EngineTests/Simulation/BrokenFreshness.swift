import Freshness
import Simulation

/// A machine that keeps another policy than it claims, or does not hear of some events.
struct BrokenFreshness: Machine {
  private var machine: RefreshMachine
  private var diagnostics: Diagnostics
  private let isDeaf: @Sendable (Event) -> Bool

  init(
    policy: Policy,
    context: Context,
    isDeaf: @escaping @Sendable (Event) -> Bool = { _ in false }
  ) {
    machine = RefreshMachine(policy: policy, context: context)
    diagnostics = Diagnostics(policy: policy)
    self.isDeaf = isDeaf
  }

  mutating func handle(_ event: Event, at now: Instant, random: RandomSample) -> Effects {
    let effects = machine.handle(isDeaf(event) ? .woke : event, at: now, random: random)
    diagnostics.record(effects)
    return effects
  }

  var alarm: Instant? { machine.alarm }
  var outstanding: Ticket? { machine.outstanding }
  var snapshot: Snapshot? { machine.snapshot }
  var failure: Failure? { machine.failure }
  var isLoading: Bool { machine.isLoading }
  var isStreaming: Bool { machine.isStreaming }
  var hasObservers: Bool { machine.hasObservers }
  var lifecycle: Lifecycle { machine.lifecycle }
  var connectivity: Connectivity { machine.connectivity }
  var context: Context { machine.context }
  var failuresInARow: Int32 { machine.failuresInARow }
  var nextRequest: NextRequest { machine.nextRequest }
  func pace(at now: Instant) -> Pace { machine.pace(at: now) }
  func label(at now: Instant) -> FreshnessLabel { machine.label(at: now) }
  func wording(of label: FreshnessLabel) -> Age.Wording? { label.wording }
  var counters: Counters { diagnostics.counters }
  var samples: [Sample] { diagnostics.ring.samples }
}
