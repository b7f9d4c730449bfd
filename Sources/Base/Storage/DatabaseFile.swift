import Foundation
package import GRDB
import GRDBSQLite

/// Opens SQLite files the way the services use them.
package enum DatabaseFile {
  /// Creates a new file to be filled in one go and then only read.
  ///
  /// It is written without a journal: if writing fails, the file is thrown away.
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
  ///   - readers: The most queries at once.
  /// - Returns: The open file.
  /// - Throws: An error of SQLite.
  package static func openForReading(path: String, readers: Int = 4) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.label = "freshet.read"
    configuration.readonly = true
    configuration.maximumReaderCount = readers
    return try DatabasePool(path: path, configuration: configuration)
  }

  /// Lets only the owner of a database read and write it; creates it if it is not there.
  ///
  /// SQLite gives the permissions of a database to the journals that it makes beside it.
  ///
  /// - Parameter path: The file.
  /// - Throws: `CocoaError` if the file cannot be made. One that belongs to somebody else keeps its permissions.
  package static func makePrivate(_ path: String) throws {
    let manager = FileManager.default
    let permissions: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    if !manager.fileExists(atPath: path),
      !manager.createFile(atPath: path, contents: nil, attributes: permissions)
    {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
    }
    for file in [path, path + "-wal", path + "-shm"] {
      try? manager.setAttributes(permissions, ofItemAtPath: file)
    }
  }

  /// Opens a file that is written while others read it, with a write-ahead log; creates it if it is not there.
  ///
  /// Foreign keys are enforced. A commit is safe against a crash of the program, and against a crash of the
  /// machine up to the last checkpoint of the log. The log stays beside the file when it is closed: GRDB writes to a file that
  /// has none when it opens it, and a program that holds a lock would keep it from being opened at all.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - label: The name of its queues, for people who debug.
  ///   - waits: How long a lock of somebody else is waited for.
  ///   - readers: The most queries at once.
  /// - Returns: The open file.
  /// - Throws: An error of SQLite.
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
    try makePrivate(path)
    return try DatabasePool(path: path, configuration: configuration)
  }
}
