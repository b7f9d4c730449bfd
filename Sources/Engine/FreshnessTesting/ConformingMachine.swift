public import Freshness

/// What any implementation of the refresh machine offers, to be run against the vectors.
///
/// `RefreshMachine` itself conforms; so may a machine behind a wire form or in another language.
public protocol ConformingMachine {
  /// Handles one event.
  mutating func handle(_ event: Event, at now: Moment, draw: RandomSample) -> Effects

  /// The alarm that is set, if any (R8).
  var alarm: Moment? { get }
  /// The ticket of the request that is out (R1).
  var outstanding: Ticket? { get }
  /// The copy at hand (R22).
  var snapshot: Snapshot? { get }
  /// What went wrong last, until something goes right (R16, R22).
  var failure: Failure? { get }
  /// Whether a request is out that a person may be told about (R25).
  var isLoading: Bool { get }
  /// Whether a healthy stream stands in for polling (R33).
  var isStreaming: Bool { get }
  /// Whether the first observer came and the last has not left.
  var hasObservers: Bool { get }
  /// The failures in a row that count for the ladder (R23).
  var failuresInARow: Int32 { get }
  /// Where the application stands (R11).
  var lifecycle: Lifecycle { get }
  /// What the device knows about its network (R24).
  var connectivity: Connectivity { get }
  /// What is watched (R4).
  var context: Context { get }
  /// When the next request goes out, and why then (R8, R9).
  var nextRequest: NextRequest { get }

  /// Names the pace of a wait that would begin at a moment (R9).
  func pace(at now: Moment) -> Pace
  /// Says how fresh the copy at hand is at a moment (R26 to R28).
  func label(at now: Moment) -> FreshnessLabel
}

extension RefreshMachine: ConformingMachine {}
