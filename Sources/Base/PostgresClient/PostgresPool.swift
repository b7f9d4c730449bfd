import Synchronization

/// Connections to one PostgreSQL server, opened when they are needed and shared by all operations.
package final class PostgresPool: Sendable {
  private struct State {
    var admission: ConnectionAdmission
    var connections: [Int: PostgresConnection] = [:]
    var waiting: [Int: CheckedContinuation<(Int, PostgresConnection), any Error>] = [:]
    var operations = 0
    var failure = PostgresError(.unreachable, "not connected")
  }

  /// What to do once the lock is released.
  private enum Action {
    case grant(CheckedContinuation<(Int, PostgresConnection), any Error>, Int, PostgresConnection)
    case refuse(CheckedContinuation<(Int, PostgresConnection), any Error>, any Error)
    case open(Int)
    case close(PostgresConnection)
  }

  /// The server and the database.
  package let address: PostgresAddress
  package let limits: PostgresClientLimits
  private let prepare: @Sendable (PostgresConnection) async throws -> Void
  private let state: Mutex<State>

  /// Creates a pool without connections.
  ///
  /// - Parameters:
  ///   - address: The server and the database.
  ///   - limits: The limits.
  ///   - prepare: Prepares each new connection before it is used.
  package init(
    _ address: PostgresAddress,
    limits: PostgresClientLimits = PostgresClientLimits(),
    prepare: @escaping @Sendable (PostgresConnection) async throws -> Void = { _ in }
  ) {
    self.address = address
    self.limits = limits
    self.prepare = prepare
    state = Mutex(State(admission: ConnectionAdmission(limits)))
  }

  /// Runs a statement on any connection.
  ///
  /// - Parameters: As for ``PostgresConnection/query(_:_:within:)``.
  /// - Returns: The rows.
  /// - Throws: ``PostgresError``; `CancellationError` if the task is canceled.
  @discardableResult
  package func query(
    _ sql: String,
    _ values: [PostgresValue] = [],
    within seconds: Double? = nil
  ) async throws -> PostgresRows {
    try await withConnection { try await $0.query(sql, values, within: seconds) }
  }

  /// Lends a connection to an operation.
  ///
  /// - Parameter body: The operation; the connection is its own until it returns.
  /// - Returns: What the operation returns.
  /// - Throws: What the operation throws; ``PostgresError`` if there is no connection; `CancellationError`.
  package func withConnection<Value>(
    _ body: (PostgresConnection) async throws -> Value
  ) async throws -> Value {
    let (number, connection) = try await acquire()
    do {
      let value = try await body(connection)
      await release(number, connection)
      return value
    } catch {
      await release(number, connection)
      throw error
    }
  }

  /// Runs a transaction, again if the server asks for it because of a collision.
  ///
  /// - Parameters:
  ///   - isReadOnly: Whether all statements see the same snapshot and change nothing.
  ///   - body: The statements; they run again after a collision, so they have no other effect.
  /// - Returns: What `body` returned in the transaction that was committed.
  /// - Throws: What `body` throws, after everything was undone; ``PostgresError``. If the connection is lost during
  ///   `COMMIT`, the transaction may have been committed.
  package func transaction<Value>(
    isReadOnly: Bool = false,
    _ body: (PostgresConnection) async throws -> Value
  ) async throws -> Value {
    var attempt = 1
    while true {
      do {
        return try await withConnection { try await $0.transaction(isReadOnly: isReadOnly, body) }
      } catch let error as PostgresError
        where error.isCollision && attempt < limits.transactionAttempts
      {
        let longest =
          limits.transactionPauseSeconds * Double(attempt) / Double(limits.transactionAttempts)
        try await Task.sleep(for: .seconds(.random(in: 0...longest)))
        attempt += 1
      }
    }
  }

  /// Closes idle connections, and the others when their operations end; refuses further operations.
  package func close() { step { $0.close() } }

  // MARK: Connections

  /// How long an operation waits: with several servers long enough for the last one of them.
  private var waitSeconds: Double {
    let count = address.places.count
    guard count > 1 else { return limits.waitSeconds }
    return max(limits.waitSeconds, Double(count) * limits.connectSeconds + 1)
  }

  private func acquire() async throws -> (Int, PostgresConnection) {
    let (operation, idle) = state.withLock { state in
      state.operations += 1
      let idle = state.admission.takeIdle()
      return (
        state.operations, idle.flatMap { number in state.connections[number].map { (number, $0) } }
      )
    }
    if let idle { return idle }
    let timeout = Task { [weak self, waitSeconds] in
      guard (try? await Task.sleep(for: .seconds(waitSeconds))) != nil else { return }
      self?.step { $0.leave(operation, .late) }
    }
    defer { timeout.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        step {
          $0.acquire(operation, at: .now)
        } before: {
          $0.waiting[operation] = continuation
        }
        // The handler may have run before the operation waited.
        if Task.isCancelled { step { $0.leave(operation, .canceled) } }
      }
    } onCancel: {
      step { $0.leave(operation, .canceled) }
    }
  }

  private func release(_ number: Int, _ connection: PostgresConnection) async {
    let isUsable = await connection.isUsable
    step { $0.release(number, isUsable: isUsable, at: .now) }
  }

  private func open(_ number: Int) {
    Task { [self] in
      do {
        let connection = try await PostgresConnection.open(
          address,
          limits: limits,
          lost: { [weak self] in self?.step { $0.lost(number) } }
        )
        do {
          // A process that is stopped within a transaction gives its locks back.
          let most = Int(limits.idleTransactionSeconds * 1_000)
          try await connection.query("SET idle_in_transaction_session_timeout TO \(most)")
          try await connection.boundSilence()
          try await prepare(connection)
        } catch {
          await connection.close()
          throw error
        }
        step {
          $0.opened(number)
        } before: {
          $0.connections[number] = connection
        }
      } catch {
        let failure = PostgresError(unusable: error)
        step { admission in
          admission.failed(number, at: .now, sample: .random(in: 0...1))
        } before: {
          $0.failure = failure
        }
      }
    }
  }

  /// Applies an event, and then does what it leads to, without the lock.
  private func step(
    _ event: (inout ConnectionAdmission) -> [ConnectionAdmission.Effect],
    before change: (inout State) -> Void = { _ in }
  ) {
    let actions = state.withLock { state in
      change(&state)
      return event(&state.admission).compactMap { Self.action($0, &state) }
    }
    for action in actions {
      switch action {
      case .grant(let continuation, let number, let connection):
        continuation.resume(returning: (number, connection))
      case .refuse(let continuation, let error): continuation.resume(throwing: error)
      case .open(let number): open(number)
      case .close(let connection): Task { await connection.close() }
      }
    }
  }

  private static func action(
    _ effect: ConnectionAdmission.Effect,
    _ state: inout State
  ) -> Action? {
    switch effect {
    case .open(let number): return .open(number)
    case .close(let number): return state.connections.removeValue(forKey: number).map(Action.close)
    case .grant(let operation, let number):
      guard let continuation = state.waiting.removeValue(forKey: operation),
        let connection = state.connections[number]
      else { return nil }
      return .grant(continuation, number, connection)
    case .refuse(let operation, let refusal):
      guard let continuation = state.waiting.removeValue(forKey: operation) else { return nil }
      let error: any Error =
        switch refusal {
        case .crowded: PostgresError(.crowded, "too many operations wait for the database")
        case .late: PostgresError(.crowded, "no connection became available in time")
        case .unreachable: state.failure
        case .closed: PostgresError(.closed, "the database is closed")
        case .canceled: CancellationError()
        }
      return .refuse(continuation, error)
    }
  }
}

extension PostgresConnection {
  /// Runs a transaction; everything is undone if an error is thrown.
  nonisolated package func transaction<Value>(
    isReadOnly: Bool = false,
    _ body: (PostgresConnection) async throws -> Value
  ) async throws -> Value {
    try await query(isReadOnly ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN")
    do {
      let value = try await body(self)
      try await query("COMMIT")
      return value
    } catch {
      // A connection that is closed undoes as well.
      if await isUsable, !Task.isCancelled, (try? await query("ROLLBACK")) != nil { throw error }
      await close()
      throw error
    }
  }
}
