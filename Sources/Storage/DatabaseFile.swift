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
}
