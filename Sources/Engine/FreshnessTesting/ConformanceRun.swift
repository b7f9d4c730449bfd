public import Freshness

/// Runs vectors against an implementation of the machine and reports differences.
///
/// ```swift
/// let mismatches = ConformanceRun.check(vector) { policy, context in
///   RefreshMachine(policy: policy, context: context)
/// }
/// ```
public enum ConformanceRun: Sendable {
  /// The maximum number of events that one `wait` sends.
  public static let mostEvents = 100_000

  /// Runs one vector on a new machine.
  ///
  /// - Parameters:
  ///   - vector: The vector.
  ///   - make: Creates a machine without observers.
  /// - Returns: All differences, in the order of the steps; empty if the machine conforms.
  public static func check<Machine: ConformingMachine>(
    _ vector: ConformanceVector,
    on make: (Policy, Context) throws -> Machine
  ) rethrows -> [ConformanceMismatch] {
    var run = VectorRun(vector, try make(vector.policy, vector.context))
    for (index, step) in vector.steps.enumerated() { run.handle(step, number: index + 1) }
    return run.mismatches
  }

  /// Runs vectors, each on a new machine.
  ///
  /// - Returns: All differences.
  public static func check<Machine: ConformingMachine>(
    _ vectors: some Sequence<ConformanceVector>,
    on make: (Policy, Context) throws -> Machine
  ) rethrows -> [ConformanceMismatch] {
    try vectors.flatMap { try check($0, on: make) }
  }
}
