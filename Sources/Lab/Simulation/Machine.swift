public import Freshness

/// A refresh machine with its diagnostics: what the simulator drives and the oracle checks.
///
/// A generic parameter throughout, so that a broken machine needs no dynamic dispatch and no
/// existential.
public protocol Machine: Sendable {
  /// Handles one event.
  mutating func handle(_ event: Event, at now: Instant, random: RandomSample) -> Effects
  /// The alarm that is set, if any (R8).
  var alarm: Instant? { get }
  /// The ticket of the request in flight.
  var outstanding: Ticket? { get }
  /// The current copy (R22).
  var snapshot: Snapshot? { get }
  /// The most recent failure (R16, R22).
  var failure: Failure? { get }
  /// Whether the loading hint shows (R25).
  var isLoading: Bool { get }
  /// Whether a healthy stream replaces polling (R33).
  var isStreaming: Bool { get }
  /// Whether the resource has observers.
  var hasObservers: Bool { get }
  /// The lifecycle state of the application (R11).
  var lifecycle: Lifecycle { get }
  /// What the device knows about its network (R24).
  var connectivity: Connectivity { get }
  /// What is watched, and with which identity (R4).
  var context: Context { get }
  /// The consecutive failures that count for the backoff (R23).
  var failuresInARow: Int32 { get }
  /// When the next request is sent, and why (R8, R9).
  var nextRequest: NextRequest { get }
  /// Returns the pace of a wait that would begin now (R9).
  func pace(at now: Instant) -> Pace
  /// Returns how fresh the current copy is (R26, R27).
  func label(at now: Instant) -> FreshnessLabel
  /// Returns the number and unit of a label's age (R28).
  func wording(of label: FreshnessLabel) -> Age.Wording?
  /// The totals over the life of the machine (R30).
  var counters: Counters { get }
  /// The newest samples, oldest first (R29).
  var samples: [Sample] { get }
}

/// The real machine, with the diagnostics that a host keeps.
public struct RecordedFreshness: Machine {
  private var machine: RefreshMachine
  private var diagnostics: Diagnostics

  /// Creates a machine without observers.
  public init(policy: Policy, context: Context) {
    machine = RefreshMachine(policy: policy, context: context)
    diagnostics = Diagnostics(policy: policy)
  }

  /// Handles one event and records its effects.
  public mutating func handle(_ event: Event, at now: Instant, random: RandomSample) -> Effects {
    let effects = machine.handle(event, at: now, random: random)
    diagnostics.record(effects)
    return effects
  }

  /// The alarm that is set, if any.
  public var alarm: Instant? { machine.alarm }
  /// The ticket of the request in flight.
  public var outstanding: Ticket? { machine.outstanding }
  /// The current copy.
  public var snapshot: Snapshot? { machine.snapshot }
  /// The most recent failure.
  public var failure: Failure? { machine.failure }
  /// Whether the loading hint shows.
  public var isLoading: Bool { machine.isLoading }
  /// Whether a healthy stream replaces polling.
  public var isStreaming: Bool { machine.isStreaming }
  /// Whether the resource has observers.
  public var hasObservers: Bool { machine.hasObservers }
  /// The lifecycle state of the application.
  public var lifecycle: Lifecycle { machine.lifecycle }
  /// What the device knows about its network.
  public var connectivity: Connectivity { machine.connectivity }
  /// What is watched, and with which identity.
  public var context: Context { machine.context }
  /// The consecutive failures that count for the backoff.
  public var failuresInARow: Int32 { machine.failuresInARow }
  /// When the next request is sent, and why.
  public var nextRequest: NextRequest { machine.nextRequest }
  /// Returns the pace of a wait that would begin now.
  public func pace(at now: Instant) -> Pace { machine.pace(at: now) }
  /// Returns how fresh the current copy is.
  public func label(at now: Instant) -> FreshnessLabel { machine.label(at: now) }
  /// Returns the number and unit of a label's age.
  public func wording(of label: FreshnessLabel) -> Age.Wording? { label.wording }
  /// The totals over the life of the machine.
  public var counters: Counters { diagnostics.counters }
  /// The newest samples, oldest first.
  public var samples: [Sample] { diagnostics.ring.samples }
}
