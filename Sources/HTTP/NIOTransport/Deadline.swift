/// Does work that has to end in time.
///
/// The work is cancelled when its time is over, and has to end soon after that.
///
/// - Parameters:
///   - timeout: How long the work may take.
///   - authority: Whom the work waits for, for the error.
///   - work: Gets the moment at which its time is over.
/// - Returns: What the work gives.
/// - Throws: What the work throws, or ``ConnectionFailure/timedOut(_:)``.
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
