/// The amount of simulation for the measures.
public struct MeasureScale: Sendable {
  /// Hours of each freshness run.
  public var hours: Int64
  /// Returns of a server after an outage.
  public var trials: Int64
  /// Phases of a producer, an hour each.
  public var runs: Int64
  /// Clients of one server.
  public var clients: Int
  /// Runs of an hour in every world of R31: with 12, the 95th percentile varies by up to a tenth.
  public var worlds: Int64
  /// The runs of each phase until a client is synchronized (R31).
  public var steps: Int64

  /// Creates a scale.
  public init(
    hours: Int64,
    trials: Int64,
    runs: Int64,
    clients: Int,
    worlds: Int64,
    steps: Int64
  ) {
    self.hours = hours
    self.trials = trials
    self.runs = runs
    self.clients = clients
    self.worlds = worlds
    self.steps = steps
  }

  /// The scale of the program.
  public static let full = MeasureScale(
    hours: 10,
    trials: 1_000,
    runs: 60,
    clients: 10_000,
    worlds: 48,
    steps: 200
  )
  /// The scale of a test in a debug build.
  public static let small = MeasureScale(
    hours: 1,
    trials: 300,
    runs: 4,
    clients: 300,
    worlds: 0,
    steps: 2
  )
}
