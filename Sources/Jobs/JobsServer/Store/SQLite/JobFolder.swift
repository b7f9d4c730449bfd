import Foundation
import GRDB
import Jobs
package import Storage

/// The folder of a ``SQLiteJobStore``, of the library and of the catalogue, as backups see it.
package struct JobFolder: Sendable {
  /// The folder's path.
  package let path: String
  private static let database = "jobs.sqlite"
  private static let inputs = "inputs"

  /// Names a folder; nothing is touched.
  package init(path: String) { self.path = path }

  /// Whether the folder exists.
  package var exists: Bool { FileManager.default.fileExists(atPath: path) }

  /// Whether there is nothing in it that a backup holds.
  package var isEmpty: Bool { databases.isEmpty && inputs.isEmpty }

  /// The files that came with jobs.
  ///
  /// A job may end meanwhile, and its files with it. Copy them before the ``databases``, and those that are new after them: then
  /// each job in the copy has its files.
  package var inputs: [BackupItem] {
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(Self.inputs)")) ?? []
    return names.sorted().map { name in
      BackupItem(
        "\(Self.inputs)/\(name)",
        .file("\(path)/\(Self.inputs)/\(name)", isOptional: true)
      )
    }
  }

  /// The databases: that of the jobs before those that jobs fill.
  ///
  /// A library that is further than the log of its import is as after a crash between two transactions, which the import repairs.
  package var databases: [BackupItem] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let others = names.filter { $0.hasSuffix(".sqlite") && $0 != Self.database }.sorted()
    let own = names.contains(Self.database) ? [Self.database] : []
    return (own + others).map { BackupItem($0, .database("\(path)/\($0)")) }
  }

  /// Checks that this program can read the database of the jobs; nothing is changed.
  ///
  /// - Returns: Whether there is one.
  /// - Throws: ``BackupFailure`` if it cannot be opened, or is of a newer program.
  package func check() throws(BackupFailure) -> Bool {
    let file = "\(path)/\(Self.database)"
    guard FileManager.default.fileExists(atPath: file) else { return false }
    do {
      var configuration = Configuration()
      configuration.readonly = true
      DatabaseFile.rollBack(file)
      let database = try DatabaseQueue(path: file, configuration: configuration)
      let isNewer = try database.read(SQLiteJobSchema.migrator.hasBeenSuperseded)
      try database.close()
      guard isNewer else { return true }
    } catch {
      throw BackupFailure(.damaged, "\(Self.database): \(SQLiteJobSchema.reason(error))")
    }
    throw BackupFailure(.damaged, "\(Self.database): \(SQLiteJobSchema.newerProgram)")
  }

  /// Prepares a folder that was restored: gives the log of the jobs another version (epoch).
  ///
  /// The events that came after the backup are gone, and their numbers are given again. With another epoch a client that has
  /// received them gets the whole state instead of what follows its number.
  ///
  /// - Parameter now: The time, in seconds since 1970-01-01T00:00:00Z.
  /// - Throws: ``BackupFailure`` if the database cannot be opened, or is of a newer program.
  package func renewLog(now: Double) throws(BackupFailure) {
    let file = "\(path)/\(Self.database)"
    guard FileManager.default.fileExists(atPath: file) else { return }
    do {
      let database = try DatabaseQueue(path: file)
      try database.write { database in
        guard try !SQLiteJobSchema.migrator.hasBeenSuperseded(database) else {
          throw BackupFailure(.damaged, "\(Self.database): \(SQLiteJobSchema.newerProgram)")
        }
        // A server that was killed while it made the database has no jobs yet; the next one continues.
        guard try database.tableExists("event"), try database.tableExists("job") else { return }
        let old = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let epoch = SQLiteJobStore.newEpoch(now: now, after: old)
        try database.execute(sql: "PRAGMA user_version = \(epoch)")
        try Self.renewEvents(database, epoch)
        try database.execute(sql: "UPDATE job SET epoch = ?", arguments: [epoch])
      }
      try database.close()
    } catch {
      throw error as? BackupFailure
        ?? BackupFailure(.damaged, "\(Self.database): \(SQLiteJobSchema.reason(error))")
    }
  }

  /// Writes the epoch into the events, which are stored as clients receive them.
  private static func renewEvents(_ database: Database, _ epoch: Int64) throws {
    let update = try database.makeStatement(
      sql: "UPDATE event SET message = ? WHERE job = ? AND seq = ?"
    )
    for job in try Row.fetchAll(database, sql: "SELECT id, pipeline FROM job") {
      let id: String = job["id"]
      let pipeline = PipelineName(rawValue: job["pipeline"])
      let events = try Row.fetchAll(
        database,
        sql: "SELECT seq, message FROM event WHERE job = ?",
        arguments: [id]
      )
      for row in events {
        guard var event = StoredEvent.event(Array(row["message"] as Data)) else { continue }
        event.position.epoch = epoch
        let bytes = StoredEvent.bytes(event, job: id, pipeline: pipeline)
        try update.execute(arguments: [Data(bytes), id, row["seq"] as Int64])
      }
    }
  }
}
