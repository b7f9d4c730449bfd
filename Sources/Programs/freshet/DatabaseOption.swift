import ArgumentParser
import Commands
import Foundation
import PostgresClient

/// The database that servers share.
struct DatabaseOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A PostgreSQL database, postgres://user@host/name; passwords belong into $DATABASE_URL or ~/.pgpass. Default: $DATABASE_URL.",
      valueName: "url"
    )
  )
  var database: String?

  func validate() throws { _ = try address }

  /// The database that is named, or that of the environment, if any.
  ///
  /// - Throws: `ValidationError` for what is not a connection string.
  var address: PostgresAddress? {
    get throws {
      let environment = ProcessInfo.processInfo.environment["DATABASE_URL"]
      guard let text = database ?? environment.flatMap({ $0.isEmpty ? nil : $0 }) else {
        return nil
      }
      do throws(PostgresAddress.Invalid) {
        return try PostgresAddress(text)
      } catch {
        throw ValidationError("\(database == nil ? "DATABASE_URL" : "--database"): \(error)")
      }
    }
  }
}

extension ProgramExit {
  /// The exit code for a database that cannot be used.
  init(_ error: PostgresError) {
    self =
      switch error.kind {
      case .unreachable, .connectionLost: .unavailable
      case .crowded, .timedOut: .temporary
      // insufficient_privilege
      case .server where error.sqlState == "42501": .noPermission
      case .server, .closed, .invalidValue: error.isTransient ? .temporary : .software
      }
  }
}
