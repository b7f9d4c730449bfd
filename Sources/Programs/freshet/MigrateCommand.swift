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

  /// What became of a schema.
  private struct Migrated: Encodable {
    var schema: String
    var version: Int
    /// The version before; 0 if it was created.
    var before: Int
  }

  /// What became of a database.
  private struct Report: Encodable {
    var database: String
    var schemas: [Migrated]
  }

  /// The `SQLSTATE` of a role that is not there.
  private static let undefinedObject = "42704"

  func validate() throws {
    guard try option.address(or: nil) != nil else {
      throw ValidationError("no database; name one with --database or $DATABASE_URL")
    }
  }

  func run() async throws {
    guard let address = try option.address(or: nil) else { return }
    let display = ProgressDisplay(isHidden: json)
    defer { display.finish() }
    do {
      display.show("connecting")
      let connection = try await PostgresConnection.open(address)
      var report = Report(database: "\(address)", schemas: [])
      var roles = Set([grant].compactMap(\.self))
      for schema in [PostgresSchema.jobs(), .realtime(), .timetables()] {
        display.show("updating schema \(schema.name)")
        let (before, after) = try await schema.migrate(connection, grantingTo: roles)
        // The servers that have the rights for one schema get those for the others.
        roles.formUnion(try await schema.writers(connection))
        display.finish()
        report.schemas.append(Migrated(schema: schema.name, version: after, before: before))
        guard !json else { continue }
        let change = before == after ? "up to date" : "was version \(before)"
        Terminal.write("\(address): schema \(schema.name), version \(after), \(change)\n")
      }
      if json { Terminal.write(try PrintedJSON.document(report)) }
      await connection.close()
    } catch let error as PostgresError where error.sqlState == Self.undefinedObject && grant != nil
    {
      let role = Terminal.plain(grant ?? "")
      throw CommandFailure(
        "freshet migrate: --grant: the database has no role \(role), and nothing was changed; create it first: createuser \(role)",
        .usage
      )
    } catch let error as PostgresError {
      throw CommandFailure("freshet migrate: \(error)", ProgramExit(error))
    } catch let error as PostgresSchema.Mismatch {
      throw CommandFailure("freshet migrate: \(error)", .badData)
    }
  }
}
