package import GRDB

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

  /// Opens a file that is written while others read it, with a write-ahead log; creates it if it is not there.
  ///
  /// Foreign keys are enforced. A commit is safe against a crash of the program, and against a crash of the
  /// machine up to the last checkpoint of the log.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - label: The name of its queues, for people who debug.
  /// - Returns: The open file.
  /// - Throws: An error of SQLite.
  package static func openForWriting(path: String, label: String) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.label = label
    configuration.busyMode = .timeout(5)
    return try DatabasePool(path: path, configuration: configuration)
  }
}
