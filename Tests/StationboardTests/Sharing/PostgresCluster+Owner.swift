import PostgresClient
import PostgresCluster

extension PostgresCluster {
  /// Opens a connection of the owner, with patience for tests that occupy the processors.
  static func connectAsOwner() async throws -> PostgresConnection {
    var limits = PostgresClientLimits()
    limits.connectSeconds = 120
    limits.statementSeconds = 120
    return try await PostgresConnection.open(try PostgresAddress(uri), limits: limits)
  }
}
