import BookLibrary
import JobsServer
import PostgresClient
import ServeSettings
import StationboardServer
import Storage

extension ServerDoctor {
  /// Checks the database, or the folder of jobs.
  mutating func database() async {
    let folder = settings?.jobs?.folder
    let exists = folder.map { room("jobs", $0) } ?? false
    let address: PostgresAddress?
    do {
      address = try inputs().database()
    } catch {
      // It is among the refusals.
      return
    }
    guard let address else {
      if exists, let folder { embedded(folder) }
      if lacksTimetables { warnOfTimetables("none is imported, and none comes by itself") }
      return
    }
    var schemas: [(of: String, schema: PostgresSchema)] = folder == nil ? [] : [("jobs", .jobs())]
    let isShared = (try? file?.sources(besides: []))?.contains(where: RealtimeSharing.shares)
    if isShared == true { schemas.append(("realtime", .realtime())) }
    schemas.append(("timetables", .timetables()))
    let connection: PostgresConnection
    do {
      connection = try await PostgresConnection.open(address)
    } catch {
      return checkup.add(
        "database",
        .fail,
        "\(address): \(error)",
        "see whether it runs and lets this user in"
      )
    }
    await examine(at: schemas, of: address, connection)
    await connection.close()
  }

  /// Checks the tables of a database, and the timetables that come from it.
  private mutating func examine(
    at schemas: [(of: String, schema: PostgresSchema)],
    of address: PostgresAddress,
    _ connection: PostgresConnection
  ) async {
    for (part, schema) in schemas {
      let place = "\(address): \(part), schema \(schema.name)"
      do {
        try await schema.check(connection)
      } catch let error as PostgresSchema.Mismatch {
        return checkup.add("database", .fail, "\(address): \(part): \(error)", advice(error))
      } catch {
        let isDenied = (error as? PostgresError)?.isDenied ?? false
        return checkup.add(
          "database",
          .fail,
          "\(place): \(error)",
          isDenied
            ? "run freshet migrate --grant with the role of the server, as the owner of the tables"
            : "see whether it runs and lets this user in"
        )
      }
    }
    let parts = schemas.map(\.of).joined(separator: ", ")
    checkup.add("database", .ok, "\(address), with tables for \(parts)")
    guard lacksTimetables else { return }
    do {
      let count = try await TimetableSharing.feedCount(connection)
      if count > 0 {
        checkup.add(
          "timetables",
          .ok,
          "\(count) \(count == 1 ? "comes" : "come") from the database"
        )
      } else {
        warnOfTimetables("none is imported here or in the database, and none comes by itself")
      }
    } catch {
      checkup.add("timetables", .fail, "\(address): \(error)", "see whether it lets this user read")
    }
  }

  private func advice(_ mismatch: PostgresSchema.Mismatch) -> String {
    switch mismatch {
    case .old: "run freshet migrate"
    case .new: "install the newer version of freshet here too"
    case .other: "name another database"
    }
  }

  private mutating func warnOfTimetables(_ sentence: String) {
    checkup.add("timetables", .warn, sentence, "freshet import FEED.zip")
  }

  /// Checks the jobs of a folder.
  private mutating func embedded(_ path: String) {
    do throws(BackupFailure) {
      if try JobFolder(path: path).check() {
        checkup.add("database", .ok, "\(path)/jobs.sqlite")
      }
    } catch {
      checkup.add(
        "database",
        .fail,
        "\(path)/\(error)",
        "use the newer program, or restore a backup"
      )
    }
    for (file, check) in [
      ("library.sqlite", SQLiteLibrary.check), ("catalogue.sqlite", SQLiteCatalogue.check),
    ] {
      do throws(LibraryError) {
        try check("\(path)/\(file)")
      } catch {
        checkup.add(file, .fail, "\(error)", "move it aside, or restore a backup")
      }
    }
  }
}
