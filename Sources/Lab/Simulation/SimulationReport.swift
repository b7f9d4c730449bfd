/// The result of a run of the simulator.
public struct SimulationReport: Sendable {
  /// The name of the policy.
  public var name: String
  /// The seed of the run.
  public var seed: UInt64
  /// The events that were checked.
  public var events: Int
  /// The number of episodes.
  public var episodes: Int
  /// The requests the machines sent.
  public var requests: Int64
  /// The first violation, if any.
  public var violation: ViolationReport?
}
