import Commands
import Foundation
import GTFS
import Logging
import PostgresClient
import Serving
import StationboardServer

/// The timetables that servers with one database share.
enum SharedTimetables {
  /// Returns what a server shares, once the database has the tables of this program or cannot be reached.
  ///
  /// - Parameters:
  ///   - address: The address of the database, if one is configured.
  ///   - folder: The data folder of this server.
  ///   - clock: The service clock.
  ///   - name: What operators of other servers see of this one.
  ///   - logger: Logs what an operator should know.
  /// - Returns: What is shared; `nil` without a database.
  /// - Throws: `CommandFailure` if the database has other tables, or refuses this server.
  static func sharing(
    in address: PostgresAddress?,
    folder: DataFolder,
    clock: ServiceClock,
    name: String,
    logger: Logger
  ) async throws -> TimetableSharing? {
    guard let address else { return nil }
    let sharing = TimetableSharing(
      address,
      folder: folder,
      clock: clock,
      name: name,
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
        "the database that shares timetables cannot be reached yet",
        metadata: ["database": "\(address)", "reason": "\(error)"]
      )
    }
    return sharing
  }

  /// Does something with what a command shares, and closes it.
  ///
  /// - Parameters:
  ///   - database: The option that names the database.
  ///   - folder: The data folder.
  ///   - clock: The service clock.
  ///   - work: Gets what is shared; `nil` without a database.
  /// - Returns: What `work` returns.
  /// - Throws: What `work` throws; `ValidationError` for what is not a connection string.
  static func with<Result>(
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
