/// An error of a PostgreSQL server or of the connection to it.
package struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The part of the client that reports the error.
  package enum Kind: Hashable, Sendable {
    /// The server rejected a statement; ``PostgresError/sqlState`` says why.
    case server
    /// No connection could be opened.
    case unreachable
    /// The connection ended during an operation; a `COMMIT` under way may have succeeded.
    case connectionLost
    /// No connection became available in time, or too many operations wait for one.
    case crowded
    /// The statement took too long and was canceled.
    case timedOut
    /// The pool is closed.
    case closed
    /// A parameter or a result has an unexpected form.
    case invalidValue
  }

  /// The part of the client that reports the error.
  package let kind: Kind
  /// The five characters of the SQL standard, such as `40001`; empty for errors that are not from the server.
  package let sqlState: String
  /// The description; it never contains a password.
  package let message: String
  /// The violated constraint, if any.
  package let constraint: String?

  package init(_ kind: Kind, _ message: String, sqlState: String = "", constraint: String? = nil) {
    self.kind = kind
    self.sqlState = sqlState
    self.message = message
    self.constraint = constraint
  }

  /// Whether the same transaction may succeed if it is tried again at once: it collided with another one.
  package var isCollision: Bool { ["40001", "40P01"].contains(sqlState) }

  /// Whether the operation may succeed later without a change.
  package var isTransient: Bool {
    switch kind {
    case .unreachable, .connectionLost, .crowded, .timedOut: true
    case .closed, .invalidValue: false
    case .server:
      // Connection errors, lack of resources, intervention by an operator, collisions, unavailable locks.
      ["08", "53", "57"].contains(String(sqlState.prefix(2))) || isCollision || sqlState == "55P03"
    }
  }

  /// Whether the constraint of the SQL standard's `unique_violation` failed.
  package var isDuplicate: Bool { sqlState == "23505" }

  package var description: String {
    sqlState.isEmpty ? "PostgreSQL: \(message)" : "PostgreSQL: \(message) (\(sqlState))"
  }
}
