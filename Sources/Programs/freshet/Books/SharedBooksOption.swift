import ArgumentParser
import BookLibrary
import Commands
import JobsServer
import PostgresClient

/// The books of servers that share a database, in place of a file.
struct SharedBooksOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The books of the servers that share this PostgreSQL database; passwords belong in $DATABASE_URL or ~/.pgpass. Default: $DATABASE_URL, unless a file is named.",
      valueName: "url"
    )
  )
  var database: String?

  @Option(
    help: ArgumentHelp(
      "Whose books in the database: the --library-owner of its servers. Default: \(LibraryOwner.usual).",
      valueName: "name"
    )
  )
  var libraryOwner: String?

  func validate() throws {
    _ = try database.map { try DatabaseOption.address($0) }
    _ = try owner
  }

  /// The database, if one is named and no file is.
  ///
  /// - Parameters:
  ///   - file: The file that is named; `nil` for none.
  ///   - option: The option that names a file.
  /// - Returns: The database; `nil` for a file.
  /// - Throws: `ValidationError` if both are named, or if the name of an owner comes without a database.
  func address(besides file: String?, _ option: String) throws -> PostgresAddress? {
    if file != nil, database != nil {
      throw ValidationError("\(option) names a file and --database a database; name one of them")
    }
    let address: PostgresAddress?
    do {
      address = file == nil ? try DatabaseOption.address(database) : nil
    } catch let error as ValidationError where database == nil {
      throw ValidationError("\(error.message); \(option) FILE uses a file instead")
    }
    if libraryOwner != nil, address == nil {
      throw ValidationError("--library-owner is for books in a database; name it with --database")
    }
    return address
  }

  /// Whose books.
  var owner: LibraryOwner { get throws { try Self.owner(libraryOwner, "--library-owner") } }

  /// Reads the name of an owner.
  ///
  /// - Parameters:
  ///   - name: The name; `nil` for the usual one.
  ///   - place: Where it is written, for errors.
  /// - Returns: The owner.
  /// - Throws: `ValidationError` for an invalid name of an owner.
  static func owner(_ name: String?, _ place: String) throws -> LibraryOwner {
    guard let name else { return .usual }
    do throws(LibraryOwner.Invalid) {
      return try LibraryOwner(name)
    } catch {
      throw ValidationError("\(place): \(error)")
    }
  }

  /// Runs a command with connections to a database.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - command: The whole name of the command.
  ///   - body: The command.
  /// - Throws: ``CommandFailure`` for a database that cannot be used; what `body` throws.
  static func withConnections(
    to address: PostgresAddress,
    _ command: String,
    _ body: (PostgresPool) async throws -> Void
  ) async throws {
    do {
      let schema = PostgresSchema.jobs()
      // A pool reports other tables as a database that cannot be reached.
      let connection = try await PostgresConnection.open(address)
      do {
        try await schema.check(connection)
      } catch {
        await connection.close()
        throw error
      }
      await connection.close()
      let pool = schema.pool(address)
      defer { pool.close() }
      try await body(pool)
    } catch let error as PostgresError {
      throw CommandFailure("\(command): \(error)", ProgramExit(error))
    } catch let error as PostgresSchema.Mismatch {
      throw CommandFailure("\(command): \(error)", .badData)
    }
  }
}
