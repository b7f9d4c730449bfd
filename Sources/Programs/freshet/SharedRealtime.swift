import Commands
import Logging
import PostgresClient
import StationboardServer

/// What servers with one database share of realtime.
enum SharedRealtime {
  /// Returns what is shared, once the database has the tables of this program or cannot be reached.
  ///
  /// - Parameters:
  ///   - address: The address of the database, if one is configured.
  ///   - host: Where this server listens.
  ///   - port: Where this server listens.
  ///   - logger: Logs what an operator should know.
  /// - Returns: What is shared; `nil` without a database.
  /// - Throws: `CommandFailure` if the database has other tables, or refuses this server.
  static func sharing(
    in address: PostgresAddress?,
    at host: String,
    _ port: Int,
    _ logger: Logger
  ) async throws -> RealtimeSharing? {
    guard let address else { return nil }
    let sharing = RealtimeSharing(
      address,
      name: SharedTimetables.name("\(host):\(port)"),
      logger: logger
    )
    do {
      try await sharing.check()
    } catch let error as PostgresSchema.Mismatch {
      throw CommandFailure("freshet serve: \(error)", .badData)
    } catch let error as PostgresError where !error.isTransient {
      throw CommandFailure("freshet serve: \(error)", ProgramExit(error))
    } catch {
      logger.warning(
        "the database that shares realtime cannot be reached yet",
        metadata: ["database": "\(address)", "reason": "\(error)"]
      )
    }
    return sharing
  }
}
