/// How much is simulated for the measures.
public struct MeasureScale: Sendable {
  /// Hours of each freshness run.
  public var hours: Int64
  /// Returns of a server after an outage.
  public var trials: Int64
  /// Phases of a producer, an hour each.
  public var runs: Int64
  /// Clients of one server.
  public var clients: Int

  /// Creates a scale.
  public init(hours: Int64, trials: Int64, runs: Int64, clients: Int) {
    self.hours = hours
    self.trials = trials
    self.runs = runs
    self.clients = clients
  }

  /// What the program measures.
  public static let full = MeasureScale(hours: 10, trials: 1_000, runs: 60, clients: 10_000)
  /// What a test measures in a debug build.
  public static let small = MeasureScale(hours: 1, trials: 300, runs: 4, clients: 300)
}
