import Foundation
package import GRDB
import GRDBSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Opens SQLite files for the services.
package enum DatabaseFile {
  /// Operations of SQLite's virtual machine after which a query yields the processor (sched_yield(2)).
  private static let operationsBetweenYields: Int32 = 2_000
  private static let ownersOnly: mode_t = 0o600

  /// Creates a new file that is filled once and then only read.
  ///
  /// It is written without a journal: if writing fails, the file is discarded.
  package static func create(path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.label = "freshet.build"
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA journal_mode = OFF")
      try database.execute(sql: "PRAGMA synchronous = OFF")
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Opens a finished file for any number of readers.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - readers: The maximum number of concurrent queries.
  /// - Returns: The open file.
  /// - Throws: An error of SQLite.
  package static func openForReading(path: String, readers: Int = 4) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.label = "freshet.read"
    configuration.readonly = true
    configuration.maximumReaderCount = readers
    rollBack(path)
    configuration.prepareDatabase { database in
      // A long query lets shorter work have the processor first (sched_yield(2)).
      sqlite3_progress_handler(
        database.sqliteConnection,
        Self.operationsBetweenYields,
        { _ in
          sched_yield()
          return 0
        },
        nil
      )
    }
    return try DatabasePool(path: path, configuration: configuration)
  }

  /// Undoes what a program that was killed had begun to write, which a connection that only reads cannot (SQLite, "hot
  /// journal").
  ///
  /// Databases with a write-ahead log have a journal only until they have the log. If this user may not write, opening the
  /// file shows why it cannot be read.
  package static func rollBack(_ path: String) {
    var facts = stat()
    guard stat("\(path)-journal", &facts) == 0, facts.st_size > 0 else { return }
    var configuration = Configuration()
    configuration.label = "freshet.rollback"
    configuration.busyMode = .timeout(10)
    guard let database = try? DatabaseQueue(path: path, configuration: configuration) else {
      return
    }
    _ = try? database.read { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
    try? database.close()
  }

  /// Creates an empty file that only its owner can read, if nothing is there.
  ///
  /// - Throws: `CocoaError` if it cannot be created.
  private static func createPrivate(_ path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, ownersOnly)
    guard file >= 0 else {
      let code = errno
      guard code != EEXIST else { return }
      throw CocoaError(
        .fileWriteUnknown,
        userInfo: [
          NSFilePathErrorKey: path, NSUnderlyingErrorKey: POSIXError(.init(rawValue: code) ?? .EIO),
        ]
      )
    }
    close(file)
  }

  /// Restricts a database and its journals to their owner, if that is the user of this process.
  ///
  /// SQLite must have opened it: a file that is not a database, such as `/etc/passwd` by mistake, keeps its permissions. The
  /// file is not opened here, since closing it would release the locks that SQLite holds for this process (fcntl(2)).
  private static func makePrivate(_ path: String) {
    for file in [path, path + "-wal", path + "-shm"] {
      var facts = stat()
      guard stat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid()
      else { continue }
      _ = chmod(file, ownersOnly)
    }
  }

  /// Opens a file that is written while it is read, with a write-ahead log, creating it if
  /// necessary.
  ///
  /// Foreign keys are enforced. A commit survives a crash of the program, and a crash of the
  /// machine up to the last checkpoint of the log. The log stays beside the file when it is closed:
  /// GRDB writes to a file without a log when it opens it, so a program that holds a lock would
  /// prevent opening it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - label: The name of its queues, for debugging.
  ///   - waits: How long to wait for a lock of another connection.
  ///   - readers: The maximum number of concurrent queries.
  /// - Returns: The open file.
  /// - Throws: An SQLite error.
  package static func openForWriting(
    path: String,
    label: String,
    waits: DatabaseWaits = DatabaseWaits(longest: 5),
    readers: Int = 5
  ) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.label = label
    configuration.maximumReaderCount = readers
    configuration.busyMode = waits.mode
    configuration.prepareDatabase { database in
      var stays: CInt = 1
      sqlite3_file_control(database.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &stays)
    }
    try createPrivate(path)
    let pool = try DatabasePool(path: path, configuration: configuration)
    makePrivate(path)
    return pool
  }

  /// Copies a database as it is at one instant, while other connections write it.
  ///
  /// The copy is one file, without a log. Its tables are checked (`PRAGMA quick_check`).
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - destination: The copy, which must not exist.
  /// - Throws: ``BackupFailure`` if the source cannot be read or is damaged, or the copy cannot be written.
  package static func copy(_ source: String, to destination: String) throws(BackupFailure) {
    guard FileManager.default.fileExists(atPath: source) else {
      throw BackupFailure(.unreadable, "\(source): does not exist")
    }
    do {
      var configuration = Configuration()
      configuration.label = "freshet.copy"
      configuration.readonly = true
      configuration.busyMode = .timeout(10)
      rollBack(source)
      let original = try DatabaseQueue(path: source, configuration: configuration)
      try createPrivate(destination)
      let copy = try DatabaseQueue(path: destination)
      try original.backup(to: copy)
      try copy.writeWithoutTransaction { database in
        // The copy has the mode of the original; a file without a log is complete.
        try database.execute(sql: "PRAGMA journal_mode = DELETE")
        let found = try String.fetchAll(database, sql: "PRAGMA quick_check(1)")
        guard found == ["ok"] else {
          throw BackupFailure(
            .damaged,
            "\(source): is damaged: \(found.first ?? "SQLite does not say how"); restore it from an earlier backup"
          )
        }
      }
      try copy.close()
      try original.close()
    } catch let error as BackupFailure {
      throw error
    } catch let error as DatabaseError {
      let reason = error.message ?? "\(error.resultCode)"
      switch error.resultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED:
        throw BackupFailure(.busy, "\(source): another program has locked it; try again")
      case .SQLITE_FULL:
        throw BackupFailure(.unwritable, "\(destination): the disk is full")
      case .SQLITE_CORRUPT, .SQLITE_NOTADB:
        throw BackupFailure(.damaged, "\(source): is damaged: \(reason)")
      default:
        throw BackupFailure(.unreadable, "\(source): cannot be copied: \(reason)")
      }
    } catch {
      throw BackupFailure(.unwritable, "\(destination): \(ErrorText.of(error, showsPath: false))")
    }
  }

  /// Copies the write-ahead log of a database into its file, as far as no reader needs the log.
  ///
  /// SQLite does so too when the last connection is closed, but a program that ends does not wait for that. Nothing is
  /// lost if it fails: the log stays beside the file. Canceling the task does not interrupt it.
  package static func checkpoint(_ pool: DatabasePool) async {
    // GRDB does nothing in a task that is canceled, as that of a program that ends is.
    let copy = Task { try await pool.writeWithoutTransaction { try $0.checkpoint(.passive) } }
    _ = await copy.result
  }
}
