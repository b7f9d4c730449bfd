public import Freshness

/// Runs vectors against an implementation of the machine and reports what differs.
///
/// ```swift
/// let mismatches = ConformanceRun.check(vector) { policy, context in
///   Freshness(policy: policy, context: context)
/// }
/// ```
public enum ConformanceRun: Sendable {
  /// The most events that one `wait` sends.
  public static let mostEvents = 100_000

  /// Tells one vector to a new machine.
  ///
  /// - Parameters:
  ///   - vector: The story.
  ///   - make: Makes a machine that nobody watches yet.
  /// - Returns: Everything that differs, in the order of the steps; nothing if the machine conforms.
  public static func check<Machine: ConformingMachine>(
    _ vector: ConformanceVector,
    on make: (Policy, Context) throws -> Machine
  ) rethrows -> [ConformanceMismatch] {
    var telling = Telling(vector, try make(vector.policy, vector.context))
    for (index, step) in vector.steps.enumerated() { telling.take(step, number: index + 1) }
    return telling.mismatches
  }

  /// Tells some vectors, each to a new machine.
  ///
  /// - Returns: Everything that differs.
  public static func check<Machine: ConformingMachine>(
    _ vectors: some Sequence<ConformanceVector>,
    on make: (Policy, Context) throws -> Machine
  ) rethrows -> [ConformanceMismatch] {
    try vectors.flatMap { try check($0, on: make) }
  }
}
