import CPostgres
import Dispatch
import Foundation
import Synchronization

/// One connection to a PostgreSQL server, used by one operation at a time.
///
/// Nothing blocks: sources of Dispatch report bytes and timers, and libpq is called on a queue of the connection. A
/// statement that its task cancels, or that takes too long, is canceled on the server; its connection is not used again,
/// since a cancel request may reach the server late.
package actor PostgresConnection {
  /// A notification of the server.
  package struct Notification: Hashable, Sendable {
    /// The channel.
    package let channel: String
    /// What the sender added.
    package let payload: String
  }

  /// Why a statement was canceled.
  private enum Interruption {
    case task
    case deadline
  }

  /// A statement under way.
  private struct Operation {
    let number: Int
    let deadline: DispatchTime
    let continuation: CheckedContinuation<PostgresRows, any Error>
    var rows: PostgresRows?
    var error: PostgresError?
    var interruption: Interruption?
  }

  private let executor = ConnectionQueue()
  let limits: PostgresClientLimits
  private var socket: ConnectionSocket?
  private var operation: Operation?
  private var operations = 0
  /// When the deadline of a statement is checked next.
  private var check: DispatchTime?
  private var statements: [String: String] = [:]
  private var failure = PostgresError(.closed, "the connection is closed")
  private var isTainted = false
  private let notify: (@Sendable (Notification) -> Void)?
  private let lost: @Sendable () -> Void

  nonisolated package var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private init(
    _ limits: PostgresClientLimits,
    _ notify: (@Sendable (Notification) -> Void)?,
    _ lost: @escaping @Sendable () -> Void
  ) {
    self.limits = limits
    self.notify = notify
    self.lost = lost
  }

  /// Opens a connection.
  ///
  /// - Parameters:
  ///   - address: The server and the database.
  ///   - limits: The limits.
  ///   - notify: Receives notifications, on the queue of the connection.
  ///   - lost: Called once when the connection ends for another reason than ``close()``.
  /// - Returns: The open connection.
  /// - Throws: ``PostgresError``.
  package static func open(
    _ address: PostgresAddress,
    limits: PostgresClientLimits = PostgresClientLimits(),
    notify: (@Sendable (Notification) -> Void)? = nil,
    lost: @escaping @Sendable () -> Void = {}
  ) async throws -> PostgresConnection {
    let connection = PostgresConnection(limits, notify, lost)
    try await connection.connect(address)
    return connection
  }

  /// Whether another operation may use the connection.
  package var isUsable: Bool { socket != nil && !isTainted && operation == nil }

  /// Closes the connection; an operation under way fails.
  package func close() { end(PostgresError(.closed, "the connection is closed"), tells: false) }

  /// Lets the server close the connection soon when this end no longer answers, as behind a line that is cut.
  ///
  /// - Throws: ``PostgresError``.
  func boundSilence() async throws {
    let seconds = max(limits.deadPeerSeconds, 4)
    // Asked after half of the time, and once again.
    try await query(
      """
      SELECT set_config('tcp_keepalives_idle', $1, false), set_config('tcp_keepalives_interval', $2, false),
        set_config('tcp_keepalives_count', '2', false), set_config('tcp_user_timeout', $3, false)
      """,
      [
        .text("\(Int(seconds / 2))"), .text("\(Int(seconds / 4))"),
        .text("\(Int(seconds * 1_000))"),
      ]
    )
  }

  /// Which server of an address accepted the last connection.
  private static let accepted = Mutex<[PostgresAddress: Int]>([:])
  /// The most addresses of which that is remembered.
  private static let mostAccepted = 64

  /// Connects to the first server of an address that accepts the connection, beginning with the one that did last.
  private func connect(_ address: PostgresAddress) async throws {
    // Libpq goes on to the next one only after an answer, and a server that hangs gives none.
    let first = Self.accepted.withLock { $0[address] ?? 0 }
    var failures: [PostgresError] = []
    for offset in address.places.indices {
      try Task.checkCancellation()
      let place = (first + offset) % address.places.count
      do {
        try await connect(address, to: address.places[place])
        guard address.places.count > 1 else { return }
        return Self.accepted.withLock { accepted in
          if accepted.count >= Self.mostAccepted { accepted = [:] }
          accepted[address] = place
        }
      } catch let error as PostgresError {
        failures.append(error)
      }
    }
    // One that may be back later decides.
    let deciding = failures.first { !$0.isFinal } ?? failures.last
    throw PostgresError(
      .unreachable,
      failures.map(\.message).joined(separator: "; "),
      sqlState: deciding?.sqlState ?? ""
    )
  }

  private func connect(_ address: PostgresAddress, to place: PostgresAddress.Place) async throws {
    let seconds = min(limits.connectSeconds, address.timeout ?? limits.connectSeconds)
    let deadline = DispatchTime.now() + seconds
    // Options before the address give way to it; options after it do not.
    let options =
      [
        ("fallback_application_name", "freshet"), ("keepalives_idle", "10"),
        ("keepalives_interval", "5"), ("keepalives_count", "3"), ("tcp_user_timeout", "20000"),
        ("dbname", address.uri), ("client_encoding", "UTF8"),
      ] + place.options.sorted { $0.key < $1.key }
    guard let pointer = Self.start(options) else {
      throw PostgresError(.unreachable, "\(place.display): not enough memory")
    }
    let socket = ConnectionSocket(pointer, queue: executor.queue)
    // Otherwise a refused connection has no code of its reason.
    PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
    var state = PQstatus(pointer) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
    while state != PGRES_POLLING_OK {
      guard state != PGRES_POLLING_FAILED else {
        // The server requires a password, and none was given.
        let lacksPassword = PQconnectionNeedsPassword(pointer) == 1
        throw PostgresError.refused(
          by: place.display,
          verbose: socket.lines,
          code: lacksPassword ? "28P01" : ""
        )
      }
      await ConnectionSocket.wait(
        PQsocket(pointer),
        isRead: state == PGRES_POLLING_READING,
        until: deadline,
        on: executor.queue
      )
      guard DispatchTime.now() < deadline else {
        throw PostgresError(.unreachable, "\(place.display): no answer within \(seconds) s")
      }
      state = PQconnectPoll(pointer)
    }
    guard PQserverVersion(pointer) >= 150_000 else {
      throw PostgresError(.unreachable, "\(place.display): PostgreSQL 15 or newer is needed")
    }
    PQsetErrorVerbosity(pointer, PQERRORS_DEFAULT)
    PQsetnonblocking(pointer, 1)
    // Notices are not errors, and the standard error is not a log.
    PQsetNoticeProcessor(pointer, { _, _ in }, nil)
    self.socket = socket
    socket.read { [weak self] in self?.assumeIsolated { $0.readable() } }
  }

  private static func start(_ options: [(String, String)]) -> OpaquePointer? {
    var keywords: [UnsafePointer<CChar>?] = options.map { UnsafePointer(strdup($0.0)) } + [nil]
    var values: [UnsafePointer<CChar>?] = options.map { UnsafePointer(strdup($0.1)) } + [nil]
    defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
    return PQconnectStartParams(&keywords, &values, 1)
  }

  // MARK: Statements

  /// Runs a statement.
  ///
  /// - Parameters:
  ///   - sql: The statement, with parameters as `$1`; it is prepared once for each connection.
  ///   - values: The parameters.
  ///   - seconds: The longest time it may take; the limit of the client by default.
  /// - Returns: The rows.
  /// - Throws: ``PostgresError``; `CancellationError` if the task is canceled.
  @discardableResult
  package func query(
    _ sql: String,
    _ values: [PostgresValue] = [],
    within seconds: Double? = nil
  ) async throws -> PostgresRows {
    let deadline = DispatchTime.now() + (seconds ?? limits.statementSeconds)
    let parameters = try StatementParameters(values, limits)
    var name = statements[sql]
    if name == nil, !values.isEmpty, statements.count < limits.preparedStatements {
      let new = "freshet\(statements.count)"
      _ = try await run(deadline) { pointer in
        PQsendPrepare(pointer, new, sql, Int32(values.count), parameters.types)
      }
      statements[sql] = new
      name = new
    }
    return try await run(deadline) { pointer in
      parameters.withPointers { bytes in
        if let name {
          PQsendQueryPrepared(
            pointer,
            name,
            parameters.count,
            bytes,
            parameters.lengths,
            parameters.formats,
            1
          )
        } else {
          PQsendQueryParams(
            pointer,
            sql,
            parameters.count,
            parameters.types,
            bytes,
            parameters.lengths,
            parameters.formats,
            1
          )
        }
      }
    }
  }

  /// Runs statements one after another, without parameters and results.
  func script(_ sql: String) async throws {
    let deadline = DispatchTime.now() + limits.statementSeconds
    _ = try await run(deadline) { PQsendQuery($0, sql) }
  }

  private func run(
    _ deadline: DispatchTime,
    _ send: (OpaquePointer) -> Int32
  ) async throws -> PostgresRows {
    try Task.checkCancellation()
    guard let pointer = socket?.pointer else { throw failure }
    precondition(operation == nil, "a connection runs one statement at a time")
    guard !isTainted else { throw PostgresError(.closed, "a statement was canceled before") }
    guard send(pointer) == 1 else { throw end(connectionLost) }
    operations += 1
    let number = operations
    watch(deadline)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        operation = Operation(number: number, deadline: deadline, continuation: continuation)
        flush()
      }
    } onCancel: {
      executor.queue.async { self.assumeIsolated { $0.interrupt(number, .task) } }
    }
  }

  private func flush() {
    guard let socket else { return }
    switch PQflush(socket.pointer) {
    case 0: return
    case 1: socket.write { [weak self] in self?.assumeIsolated { $0.flush() } }
    default: end(connectionLost)
    }
  }

  private func readable() {
    guard let socket else { return }
    let pointer = socket.pointer
    repeat {
      guard PQconsumeInput(pointer) == 1 else {
        end(connectionLost)
        return
      }
    } while socket.hasMore
    if operation != nil { flush() }
    while operation != nil, self.socket != nil, PQisBusy(pointer) == 0 {
      guard let result = PQgetResult(pointer) else {
        finish()
        break
      }
      handle(result)
    }
    guard self.socket != nil else { return }
    // Also reads what comes between two statements.
    while let notification = PQnotifies(pointer) {
      notify?(
        Notification(
          channel: String(cString: notification.pointee.relname),
          payload: String(cString: notification.pointee.extra)
        )
      )
      PQfreemem(notification)
    }
  }

  private func handle(_ result: OpaquePointer) {
    switch PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
      operation?.rows = PostgresRows(result)
    default:
      func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
      }
      operation?.error = PostgresError(
        .server,
        field("M") ?? "the statement failed",
        sqlState: field("C") ?? "",
        constraint: field("n")
      )
      PQclear(result)
    }
  }

  private func finish() {
    guard let done = operation else { return }
    operation = nil
    guard let error = done.error else {
      if let rows = done.rows {
        done.continuation.resume(returning: rows)
      } else {
        done.continuation.resume(throwing: connectionLost)
      }
      return
    }
    // query_canceled
    guard error.sqlState == "57014", let interruption = done.interruption else {
      return done.continuation.resume(throwing: error)
    }
    done.continuation.resume(throwing: Self.error(interruption))
  }

  // MARK: Ends

  private var connectionLost: PostgresError {
    PostgresError(.connectionLost, socket?.message ?? failure.message)
  }

  private static func error(_ interruption: Interruption) -> any Error {
    switch interruption {
    case .task: CancellationError()
    case .deadline: PostgresError(.timedOut, "a statement took too long and was canceled")
    }
  }

  /// Has the deadline checked; at most one check is scheduled unless a deadline is earlier than it.
  private func watch(_ deadline: DispatchTime) {
    if let check, check <= deadline { return }
    check = deadline
    executor.queue.asyncAfter(deadline: deadline) { [weak self] in
      self?.assumeIsolated { $0.checkDeadline() }
    }
  }

  private func checkDeadline() {
    let now = DispatchTime.now()
    if let check, check <= now { self.check = nil }
    guard let operation else { return }
    if operation.deadline <= now {
      interrupt(operation.number, .deadline)
    } else {
      watch(operation.deadline)
    }
  }

  private func interrupt(_ number: Int, _ cause: Interruption) {
    guard operation?.number == number, operation?.interruption == nil, let socket else { return }
    operation?.interruption = cause
    isTainted = true
    CancelRequest.send(for: socket.pointer)
    executor.queue.asyncAfter(deadline: .now() + limits.cancelSeconds) { [weak self] in
      self?.assumeIsolated { connection in
        guard let operation = connection.operation, operation.number == number else { return }
        connection.end(
          PostgresError(.connectionLost, "the server did not cancel a statement in time")
        )
      }
    }
  }

  /// Closes the connection and fails the statement under way.
  @discardableResult
  private func end(_ error: PostgresError, tells: Bool = true) -> PostgresError {
    guard socket != nil else { return error }
    failure = error
    socket = nil
    let done = operation
    operation = nil
    if let done {
      done.continuation.resume(throwing: done.interruption.map(Self.error) ?? error)
    }
    if tells { lost() }
    return error
  }
}
