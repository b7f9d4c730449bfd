import Commands
import Foundation
import GTFS
import Logging
import PostgresClient
import Serving
import StationboardServer

/// What servers and commands with one database share: realtime and timetables.
enum SharedServices {
  /// Returns the realtime that a server shares, once the database has the tables of this program or cannot be reached.
  ///
  /// - Parameters:
  ///   - address: The address of the database, if one is configured.
  ///   - name: What operators of other servers see of this one.
  ///   - logger: Logs what an operator should know.
  /// - Returns: What is shared; `nil` without a database.
  /// - Throws: `CommandFailure` if the database has other tables, or refuses this server.
  static func realtime(
    in address: PostgresAddress?,
    name: String,
    logger: Logger
  ) async throws -> RealtimeSharing? {
    guard let address else { return nil }
    let sharing = RealtimeSharing(address, name: name, logger: logger)
    try await check("realtime", in: address, logger) { try await sharing.check() }
    return sharing
  }

  /// Returns the timetables that a server shares, once the database has the tables of this program or cannot be reached.
  ///
  /// - Parameters:
  ///   - address: The address of the database, if one is configured.
  ///   - folder: The data folder of this server.
  ///   - clock: The service clock.
  ///   - name: What operators of other servers see of this one.
  ///   - logger: Logs what an operator should know.
  /// - Returns: What is shared; `nil` without a database.
  /// - Throws: `CommandFailure` if the database has other tables, or refuses this server.
  static func timetables(
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
    try await check("timetables", in: address, logger) { try await sharing.check() }
    return sharing
  }

  private static func check(
    _ what: String,
    in address: PostgresAddress,
    _ logger: Logger,
    _ check: () async throws -> Void
  ) async throws {
    do {
      try await check()
    } catch let error as PostgresSchema.Mismatch {
      throw CommandFailure("freshet serve: \(error)", .badData)
    } catch let error as PostgresError where !error.isTransient {
      throw CommandFailure("freshet serve: \(error)", ProgramExit(error))
    } catch {
      logger.warning(
        "the database that shares \(what) cannot be reached yet",
        metadata: ["database": "\(address)", "reason": "\(error)"]
      )
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
