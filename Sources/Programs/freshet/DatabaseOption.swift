import ArgumentParser
import Commands
import Foundation
import PostgresClient
import ServeSettings

/// The database that servers share.
struct DatabaseOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A PostgreSQL database, postgres://user@host/name; passwords belong in $DATABASE_URL or ~/.pgpass. Default: $DATABASE_URL.",
      valueName: "url"
    )
  )
  var database: String?

  func validate() throws { _ = try address(or: nil) }

  /// The database that is named, that of a configuration file, or that of the environment, if any.
  ///
  /// - Throws: `ValidationError` for what is not a connection string, ``CommandFailure`` if it is in the file.
  func address(or settings: ServeSettings?) throws -> PostgresAddress? {
    try Self.address(database, or: settings)
  }

  /// The database that an option names, that of a configuration file, or that of the environment, if any.
  ///
  /// - Throws: `ValidationError` for what is not a connection string, ``CommandFailure`` if it is in the file.
  static func address(
    _ database: String?,
    or settings: ServeSettings? = nil
  ) throws -> PostgresAddress? {
    let environment = ProcessInfo.processInfo.environment["DATABASE_URL"]
    let candidates = [
      ("--database", database, isOfFile: false),
      ("jobs.database", settings?.jobs?.database, isOfFile: true),
      ("database", settings?.database, isOfFile: true),
      ("DATABASE_URL", environment.flatMap { $0.isEmpty ? nil : $0 }, isOfFile: false),
    ]
    for case (let place, let text?, isOfFile: let isOfFile) in candidates {
      do throws(PostgresAddress.Invalid) {
        return try PostgresAddress(text)
      } catch {
        if isOfFile, let settings { throw settings.failure(place, "\(error)") }
        throw ValidationError("\(place): \(error)")
      }
    }
    return nil
  }

  /// Whether a database is named elsewhere than in the environment.
  func isNamed(besides settings: ServeSettings?) -> Bool {
    (database ?? settings?.database ?? settings?.jobs?.database) != nil
  }
}

extension ProgramExit {
  /// The exit code for a database that cannot be used.
  init(_ error: PostgresError) {
    self =
      switch error.kind {
      case _ where error.isDenied: .noPermission
      case .unreachable where error.isMissing: .configuration
      // read_only_sql_transaction: a standby
      case .server where error.sqlState == "25006": .unavailable
      case .unreachable, .connectionLost: .unavailable
      case .crowded, .timedOut: .temporary
      case .server, .closed, .invalidValue: error.isTransient ? .temporary : .software
      }
  }
}
