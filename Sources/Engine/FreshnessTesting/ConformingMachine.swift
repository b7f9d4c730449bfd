public import Freshness

/// The interface that an implementation of the refresh machine needs to run the vectors.
///
/// `RefreshMachine` conforms; a machine behind a wire form or in another language can conform too.
public protocol ConformingMachine {
  /// Handles one event.
  mutating func handle(_ event: Event, at now: Instant, random: RandomSample) -> Effects

  /// The alarm that is set, if any (R8).
  var alarm: Instant? { get }
  /// The ticket of the request in flight (R1).
  var outstanding: Ticket? { get }
  /// The current copy (R22).
  var snapshot: Snapshot? { get }
  /// The most recent failure, until the next success (R16, R22).
  var failure: Failure? { get }
  /// Whether the loading hint shows (R25).
  var isLoading: Bool { get }
  /// Whether a healthy stream replaces polling (R33).
  var isStreaming: Bool { get }
  /// Whether the resource has observers.
  var hasObservers: Bool { get }
  /// The consecutive failures that count for the backoff (R23).
  var failuresInARow: Int32 { get }
  /// The lifecycle state of the application (R11).
  var lifecycle: Lifecycle { get }
  /// What the device knows about its network (R24).
  var connectivity: Connectivity { get }
  /// The context (R4).
  var context: Context { get }
  /// When the next request is sent, and why (R8, R9).
  var nextRequest: NextRequest { get }

  /// Returns the pace of a wait that would begin at an instant (R9).
  func pace(at now: Instant) -> Pace
  /// Returns how fresh the current copy is at an instant (R26 to R28).
  func label(at now: Instant) -> FreshnessLabel
}

extension RefreshMachine: ConformingMachine {}
