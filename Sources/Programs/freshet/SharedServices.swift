import Commands
import Foundation
import GTFS
import Logging
import PostgresClient
import Serving
import StationboardServer

/// What servers and commands with one database share: realtime and timetables.
enum SharedServices {
  /// Finds out whether a database answers a server that starts, which otherwise starts without it.
  ///
  /// - Parameters:
  ///   - address: The address of the database, if one is configured.
  ///   - logger: Logs why it does not answer.
  /// - Returns: Whether it answers; false without a database.
  static func answers(_ address: PostgresAddress?, _ logger: Logger) async -> Bool {
    guard let address else { return false }
    var limits = PostgresClientLimits()
    limits.connectSeconds = limits.startSeconds
    do {
      let connection = try await PostgresConnection.open(address, limits: limits)
      await connection.close()
      return true
    } catch {
      logger.error(
        "the database cannot be reached yet: the server starts without it",
        metadata: ["database": "\(address)", "reason": "\(error)"]
      )
      return false
    }
  }

  /// Returns the realtime that a server shares, once the database has the tables of this program or cannot be reached.
  ///
  /// - Parameters:
  ///   - address: The address of the database, if one is configured.
  ///   - answers: Whether the database answers, so that its tables are checked.
  ///   - name: What operators of other servers see of this one.
  ///   - logger: Logs what an operator should know.
  /// - Returns: What is shared; `nil` without a database.
  /// - Throws: `CommandFailure` if the database has other tables, or refuses this server.
  static func realtime(
    in address: PostgresAddress?,
    answers: Bool,
    name: String,
    logger: Logger
  ) async throws -> RealtimeSharing? {
    guard let address else { return nil }
    let sharing = RealtimeSharing(address, name: name, logger: logger)
    guard answers else { return sharing }
    try await check("realtime", in: address, logger) { try await sharing.check() }
    return sharing
  }

  /// Returns the timetables that a server shares, once the database has the tables of this program or cannot be reached.
  ///
  /// - Parameters:
  ///   - address: The address of the database, if one is configured.
  ///   - answers: Whether the database answers, so that its tables are checked.
  ///   - folder: The data folder of this server.
  ///   - clock: The service clock.
  ///   - name: What operators of other servers see of this one.
  ///   - logger: Logs what an operator should know.
  /// - Returns: What is shared; `nil` without a database.
  /// - Throws: `CommandFailure` if the database has other tables, or refuses this server.
  static func timetables(
    in address: PostgresAddress?,
    answers: Bool,
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
    guard answers else { return sharing }
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
