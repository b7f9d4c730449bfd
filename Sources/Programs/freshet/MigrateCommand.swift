import ArgumentParser
import Commands
import JobsServer
import PostgresClient
import StationboardServer

/// `freshet migrate`.
struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Create or update the tables of a PostgreSQL database.",
    discussion: """
      The tables are in three schemas, freshet, freshet_realtime and freshet_timetables. Servers that run go on while it is updated. The role of the \
      database needs the right to create schemas; servers need less, which --grant gives.

        freshet migrate --database postgres://owner@db.example.org/freshet --grant freshet_server
      """
  )

  @OptionGroup var option: DatabaseOption

  @Option(help: ArgumentHelp("A role that gets the rights of a server.", valueName: "role"))
  var grant: String?

  @Flag(help: "Print JSON.")
  var json = false

  /// The outcome for a schema.
  private struct Migrated: Encodable {
    var schema: String
    var version: Int
    /// The version before; 0 if it was created.
    var before: Int
  }

  /// The outcome for a database.
  private struct Report: Encodable {
    var database: String
    var schemas: [Migrated]
  }

  /// The `SQLSTATE` `undefined_object`: the role does not exist.
  private static let undefinedObject = "42704"

  func validate() throws {
    guard try option.address(or: nil) != nil else {
      throw ValidationError("no database; name one with --database or $DATABASE_URL")
    }
    // PostgreSQL treats public as all roles, even when it is quoted.
    if let grant, grant.isEmpty || grant == "public" {
      throw ValidationError("--grant: expected the name of a role, not public or an empty text")
    }
  }

  func run() async throws {
    guard let address = try option.address(or: nil) else { return }
    let display = ProgressDisplay(isHidden: json)
    defer { display.finish() }
    do {
      display.show("connecting")
      let connection = try await PostgresConnection.open(address)
      display.show("updating schemas")
      let schemas = try await PostgresSchema.migrate(
        [.jobs(), .realtime(), .timetables()],
        connection,
        grantingTo: Set([grant].compactMap(\.self))
      )
      await connection.close()
      display.finish()
      guard !json else {
        let migrated = schemas.map { Migrated(schema: $0.name, version: $0.to, before: $0.from) }
        Terminal.write(
          try PrintedJSON.document(Report(database: "\(address)", schemas: migrated))
        )
        return
      }
      for schema in schemas {
        let change = schema.from == schema.to ? "up to date" : "was version \(schema.from)"
        Terminal.write("\(address): schema \(schema.name), version \(schema.to), \(change)\n")
      }
    } catch let error as PostgresError where error.sqlState == Self.undefinedObject && grant != nil
    {
      throw CommandFailure(
        "freshet migrate: --grant: \(address) has no role \(Terminal.plain(grant ?? "")), and nothing was changed; "
          + "create it first, with createuser for instance",
        .configuration
      )
    } catch let error as PostgresError where error.kind == .unreachable {
      throw CommandFailure("freshet migrate: \(error)", ProgramExit(error))
    } catch let error as PostgresError {
      throw CommandFailure("freshet migrate: \(address): \(error)", ProgramExit(error))
    } catch let error as PostgresSchema.Mismatch {
      throw CommandFailure("freshet migrate: \(address): \(error)", .badData)
    }
  }
}
