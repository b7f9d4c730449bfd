/// The limits of a PostgreSQL client.
package struct PostgresClientLimits: Hashable, Sendable {
  /// The most connections of a pool.
  package var connections = 8
  /// The most operations that wait for a connection of a pool.
  package var waiting = 1_000
  /// How long an operation waits for a connection, in seconds.
  package var waitSeconds = 5.0
  /// The longest time to open a connection to one server of an address, in seconds, without resolving the server's name.
  package var connectSeconds = 5.0
  /// How long a server that starts waits for a connection, and for a statement, before it starts without its database, in seconds.
  package var startSeconds = 2.0
  /// The longest time of a statement, in seconds.
  package var statementSeconds = 30.0
  /// How long a transaction may wait for its next statement before the server undoes it, in seconds.
  package var idleTransactionSeconds = 15.0
  /// How long the server keeps a connection over TCP whose other end does not answer, in seconds: not for the hours that
  /// systems do.
  package var deadPeerSeconds = 20.0
  /// How long a canceled statement may take to end before its connection is closed, in seconds.
  package var cancelSeconds = 1.0
  /// The most cancel requests in flight in this process; beyond it, a connection is closed without one.
  package static let cancelRequests = 8
  /// The most prepared statements of a connection; others are parsed each time.
  package var preparedStatements = 256
  /// The longest parameter of a statement, in bytes.
  package var parameterBytes = 256 << 20
  /// How many times a transaction is tried in all when the server asks to try it again.
  package var transactionAttempts = 5
  /// How long a migration waits for a lock, in seconds; statements that need the same table wait behind it.
  package var migrationLockSeconds = 2.0
  /// The longest pause before another attempt at a transaction, in seconds.
  package var transactionPauseSeconds = 0.2
  /// The shortest pause before another attempt to connect, in seconds.
  package var leastReconnectSeconds = 0.1
  /// The longest pause before another attempt to connect, in seconds.
  package var mostReconnectSeconds = 5.0
  /// The most notifications that wait for a listener; beyond it, the listener is notified that some are missing.
  package var notifications = 10_000
  /// How often a listener checks its connection, in seconds.
  package var pingSeconds = 10.0
  /// How long a check of a listener's connection may take, in seconds.
  package var pongSeconds = 5.0

  /// Creates the default limits.
  package init() {}
}
