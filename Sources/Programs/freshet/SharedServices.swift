import Commands
import Foundation
import GTFS
import Logging
import PostgresClient
import Serving
import StationboardServer

/// What servers and commands with one database share: realtime and timetables.
enum SharedServices {
  /// Finds out whether a database answers a server that starts, which otherwise starts without it, and checks its tables.
  ///
  /// - Parameters:
  ///   - address: The address of the database, if one is configured.
  ///   - schemas: The schemas that the server uses.
  ///   - logger: Logs why it does not answer.
  /// - Returns: Whether it answers; false without a database.
  /// - Throws: `CommandFailure` if the database has other tables, or lets this server see none.
  static func answers(
    _ address: PostgresAddress?,
    with schemas: [PostgresSchema],
    _ logger: Logger
  ) async throws -> Bool {
    guard let address, !schemas.isEmpty else { return false }
    var limits = PostgresClientLimits()
    limits.connectSeconds = limits.startSeconds
    limits.statementSeconds = limits.startSeconds
    do {
      let connection = try await PostgresConnection.open(address, limits: limits)
      defer { Task { await connection.close() } }
      for schema in schemas { try await schema.check(connection) }
      return true
    } catch let error as PostgresSchema.Mismatch {
      throw CommandFailure("freshet serve: \(address): \(error)", .badData)
    } catch let error as PostgresError where !error.isTransient {
      throw CommandFailure("freshet serve: \(address): \(error)", ProgramExit(error))
    } catch {
      logger.error(
        "the database cannot be reached yet: the server starts without it",
        metadata: ["database": "\(address)", "reason": "\(error)"]
      )
      return false
    }
  }

  /// Does something with the timetables that a command shares, and closes them.
  ///
  /// - Parameters:
  ///   - database: The option that names the database.
  ///   - folder: The data folder.
  ///   - clock: The service clock.
  ///   - work: Gets what is shared; `nil` without a database.
  /// - Returns: What `work` returns.
  /// - Throws: What `work` throws; `ValidationError` for what is not a connection string.
  static func withTimetables<Result>(
    _ database: DatabaseOption,
    _ folder: DataFolder,
    clock: ServiceClock,
    _ work: (TimetableSharing?) async throws -> Result
  ) async throws -> Result {
    guard let address = try database.address(or: nil) else { return try await work(nil) }
    let sharing = TimetableSharing(
      address,
      folder: folder,
      clock: clock,
      name: name("command"),
      logger: Logger(label: "freshet")
    )
    defer { sharing.close() }
    return try await work(sharing)
  }

  /// The name of this process for operators of other machines.
  static func name(_ place: String) -> String {
    let process = ProcessInfo.processInfo
    return "\(process.hostName), process \(process.processIdentifier), \(place)"
  }
}
