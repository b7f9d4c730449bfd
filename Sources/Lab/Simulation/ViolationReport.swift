/// A violation with everything needed to reproduce it.
public struct ViolationReport: Sendable {
  /// The rule, the time and the reason, in the shrunk trace.
  public var violation: Violation
  /// The seed of the run and the number of the episode in it.
  public var seed: UInt64
  /// The number of the episode in the run.
  public var episode: Int
  /// The events of the episode before it was shrunk.
  public var recordedSteps: Int
  /// The shrunk trace, one step per line.
  public var steps: [String]
  /// Whether the rule breaks only in the recovery after the last step.
  public var isInRecovery: Bool
  var vectorJSON: JSONText
  /// The shrunk trace as a conformance vector without expectations.
  public var vector: String { vectorJSON.lines }
}
