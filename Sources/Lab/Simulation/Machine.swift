public import Freshness

/// What the simulator drives and the referee watches: a refresh machine with its diagnostics.
///
/// A generic parameter throughout, so that a broken machine costs no dispatch and no existential.
public protocol Machine: Sendable {
  /// Handles one event.
  mutating func handle(_ event: Event, at now: Moment, draw: RandomSample) -> Effects
  /// The alarm that is set, if any (R8).
  var alarm: Moment? { get }
  /// The ticket of the request that is out.
  var outstanding: Ticket? { get }
  /// The copy at hand (R22).
  var snapshot: Snapshot? { get }
  /// What went wrong last (R16, R22).
  var failure: Failure? { get }
  /// Whether a request is out that a person may be told about (R25).
  var isLoading: Bool { get }
  /// Whether a healthy stream stands in for polling (R33).
  var isStreaming: Bool { get }
  /// Whether somebody watches.
  var hasObservers: Bool { get }
  /// Where the application stands (R11).
  var lifecycle: Lifecycle { get }
  /// What the device knows about its network (R24).
  var connectivity: Connectivity { get }
  /// What is watched, and on whose behalf (R4).
  var context: Context { get }
  /// The failures in a row that count for the ladder (R23).
  var failuresInARow: Int32 { get }
  /// When the next request goes out, and why then (R8, R9).
  var nextRequest: NextRequest { get }
  /// Names the pace of a wait that would begin now (R9).
  func pace(at now: Moment) -> Pace
  /// Says how fresh the copy at hand is (R26, R27).
  func label(at now: Moment) -> FreshnessLabel
  /// Says the number and unit of a label's age (R28).
  func wording(of label: FreshnessLabel) -> Age.Wording?
  /// What the machine did over its life (R30).
  var counters: Counters { get }
  /// The newest samples, oldest first (R29).
  var samples: [Sample] { get }
}

/// The real machine, with the diagnostics that a host keeps beside it.
public struct RecordedFreshness: Machine {
  private var machine: RefreshMachine
  private var diagnostics: Diagnostics

  /// Creates a machine that nobody watches yet.
  public init(policy: Policy, context: Context) {
    machine = RefreshMachine(policy: policy, context: context)
    diagnostics = Diagnostics(policy: policy)
  }

  /// Handles one event and records its effects.
  public mutating func handle(_ event: Event, at now: Moment, draw: RandomSample) -> Effects {
    let effects = machine.handle(event, at: now, draw: draw)
    diagnostics.record(effects)
    return effects
  }

  /// The alarm that is set, if any.
  public var alarm: Moment? { machine.alarm }
  /// The ticket of the request that is out.
  public var outstanding: Ticket? { machine.outstanding }
  /// The copy at hand.
  public var snapshot: Snapshot? { machine.snapshot }
  /// What went wrong last.
  public var failure: Failure? { machine.failure }
  /// Whether a request is out that a person may be told about.
  public var isLoading: Bool { machine.isLoading }
  /// Whether a healthy stream stands in for polling.
  public var isStreaming: Bool { machine.isStreaming }
  /// Whether somebody watches.
  public var hasObservers: Bool { machine.hasObservers }
  /// Where the application stands.
  public var lifecycle: Lifecycle { machine.lifecycle }
  /// What the device knows about its network.
  public var connectivity: Connectivity { machine.connectivity }
  /// What is watched, and on whose behalf.
  public var context: Context { machine.context }
  /// The failures in a row that count for the ladder.
  public var failuresInARow: Int32 { machine.failuresInARow }
  /// When the next request goes out, and why then.
  public var nextRequest: NextRequest { machine.nextRequest }
  /// Names the pace of a wait that would begin now.
  public func pace(at now: Moment) -> Pace { machine.pace(at: now) }
  /// Says how fresh the copy at hand is.
  public func label(at now: Moment) -> FreshnessLabel { machine.label(at: now) }
  /// Says the number and unit of a label's age.
  public func wording(of label: FreshnessLabel) -> Age.Wording? { label.wording }
  /// What the machine did over its life.
  public var counters: Counters { diagnostics.counters }
  /// The newest samples, oldest first.
  public var samples: [Sample] { diagnostics.ring.samples }
}
