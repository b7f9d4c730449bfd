import Freshness

/// A machine that breaks one rule on purpose: its input, output or visible state is distorted, or
/// it uses another policy than it claims.
struct Mutant: Machine {
  private var machine: RefreshMachine
  private var diagnostics: Diagnostics
  private let fault: Fault
  private var memory: Memory
  private var shown: Shown

  /// What a fault may change.
  struct Fault: Sendable {
    var policy: (@Sendable (inout Policy) -> Void)?
    var event: (@Sendable (Event, inout Memory) -> Event)?
    var effects: (@Sendable (inout Effects, Event, inout Memory) -> Void)?
    var shown: (@Sendable (inout Shown, Memory) -> Void)?
    var label: (@Sendable (inout FreshnessLabel, Memory) -> Void)?
    var wording: (@Sendable (Age.Wording) -> Age.Wording)?
    var random: (@Sendable (RandomSample) -> RandomSample)?
    var record: (@Sendable (inout Diagnostics, Effects) -> Void)?
  }

  /// What a fault may remember.
  ///
  /// The facts that the host reported are correct here, so that a machine that missed an event does
  /// not reveal it.
  struct Memory: Sendable {
    var now = Instant.start
    var isWatched = false
    var lifecycle: Lifecycle = .foreground
    var connectivity: Connectivity = .online
    var context: Context
    var policy: Policy
    var steps = 0
    var outstanding: Ticket?
    var alarm: Instant?
    var snapshot: Snapshot?
    var failure: Failure?
    var isLongPolling = false
    var request: Request?
    var validator: Validator?
    var device: Instant.Duration?
    var origin: RefreshRequest.Reason?
    var lastShown: Shown?
    /// The age in the newest response.
    var figure: Instant.Duration?
    var requests = 0
    /// When a request of a user was last handled.
    var heardAt = Instant.start
  }

  /// The visible state of a machine.
  struct Shown: Sendable {
    var alarm: Instant?
    var outstanding: Ticket?
    var snapshot: Snapshot?
    var failure: Failure?
    var isLoading: Bool
    var isStreaming: Bool
    var failuresInARow: Int32
    var nextRequest: NextRequest

    init(_ machine: RefreshMachine) {
      alarm = machine.alarm
      outstanding = machine.outstanding
      snapshot = machine.snapshot
      failure = machine.failure
      isLoading = machine.isLoading
      isStreaming = machine.isStreaming
      failuresInARow = machine.failuresInARow
      nextRequest = machine.nextRequest
    }
  }

  init(_ fault: Fault, policy: Policy, context: Context) {
    var kept = policy
    fault.policy?(&kept)
    machine = RefreshMachine(policy: kept, context: context)
    diagnostics = Diagnostics(policy: kept)
    self.fault = fault
    memory = Memory(context: context, policy: policy)
    shown = Shown(machine)
  }

  mutating func handle(_ event: Event, at now: Instant, random: RandomSample) -> Effects {
    memory.now = now
    memory.steps += 1
    note(event)
    let heard = fault.event?(event, &memory) ?? event
    var effects = machine.handle(heard, at: now, random: fault.random?(random) ?? random)
    if let request = effects.request {
      memory.request = request
      memory.isLongPolling = request.longPoll != nil
    }
    memory.outstanding = machine.outstanding
    memory.alarm = machine.alarm
    memory.snapshot = machine.snapshot
    memory.failure = machine.failure
    fault.effects?(&effects, event, &memory)
    memory.lastShown = shown
    shown = Shown(machine)
    shown.alarm = effects.alarm
    // A machine that keeps another alarm reports that one.
    if let alarm = effects.alarm, alarm != machine.alarm, shown.nextRequest.due != nil {
      shown.nextRequest.due = alarm
    }
    fault.shown?(&shown, memory)
    if let record = fault.record {
      record(&diagnostics, effects)
    } else {
      diagnostics.record(effects)
    }
    return effects
  }

  private mutating func note(_ event: Event) {
    switch event {
    case .started: memory.isWatched = true
    case .stopped: memory.isWatched = false
    case .lifecycle(let next): memory.lifecycle = next
    case .connectivity(let next): memory.connectivity = next
    case .contextChanged(let next): memory.context = next
    case .answered(_, let answer):
      memory.figure = answer.metadata.ageAtArrival
      if let device = answer.deviceTime, let served = answer.metadata.serverTime {
        memory.device = device - served
      }
    default: break
    }
  }

  var alarm: Instant? { shown.alarm }
  var outstanding: Ticket? { shown.outstanding }
  var snapshot: Snapshot? { shown.snapshot }
  var failure: Failure? { shown.failure }
  var isLoading: Bool { shown.isLoading }
  var isStreaming: Bool { shown.isStreaming }
  var hasObservers: Bool { memory.isWatched }
  var lifecycle: Lifecycle { memory.lifecycle }
  var connectivity: Connectivity { memory.connectivity }
  var context: Context { memory.context }
  var failuresInARow: Int32 { shown.failuresInARow }
  var nextRequest: NextRequest { shown.nextRequest }
  func pace(at now: Instant) -> Pace {
    memory.lifecycle == .foreground ? machine.pace(at: now) : .background
  }
  func label(at now: Instant) -> FreshnessLabel {
    var label = machine.label(at: now)
    fault.label?(&label, memory)
    return label
  }
  func wording(of label: FreshnessLabel) -> Age.Wording? {
    label.wording.map { fault.wording?($0) ?? $0 }
  }
  var counters: Counters { diagnostics.counters }
  var samples: [Sample] { diagnostics.ring.samples }
}
