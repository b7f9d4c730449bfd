/// Runs work with a time limit.
///
/// The work is canceled when its time is over, and must end soon after that.
///
/// - Parameters:
///   - timeout: The time limit.
///   - authority: The server that the work waits for, for the error.
///   - work: Receives the instant at which its time is over.
/// - Returns: The result of the work.
/// - Throws: The error of the work, or ``ConnectionFailure/timedOut(_:)``.
func withDeadline<Value: Sendable>(
  after timeout: Duration,
  authority: String,
  work: @escaping @Sendable (ContinuousClock.Instant) async throws -> Value
) async throws -> Value {
  let deadline = ContinuousClock.now + timeout
  return try await withThrowingTaskGroup(of: Value?.self) { group in
    group.addTask { try await work(deadline) }
    group.addTask {
      try await Task.sleep(until: deadline, clock: .continuous)
      return nil
    }
    defer { group.cancelAll() }
    guard let first = try await group.next(), let value = first else {
      throw ConnectionFailure.timedOut(authority)
    }
    return value
  }
}
