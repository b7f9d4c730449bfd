import GRDB

/// Why a library or a catalogue cannot be used.
package struct LibraryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of fault.
  package enum Code: String, Hashable, Sendable {
    /// The file belongs to another program or to a newer version of this one, or is not a database.
    case otherFile = "library_other_file"
    /// The file cannot be read or written.
    case unusable = "library_unusable"
    /// The file cannot be opened.
    case unreadable = "library_unreadable"
    /// Another program has locked the file.
    case busy = "library_busy"
    /// The file cannot be created.
    case notMade = "library_not_made"
    /// A dump file is missing or cannot be read.
    case unreadableDump = "dump_unreadable"
    /// A dump file is cut off or broken.
    case damagedDump = "dump_damaged"
  }

  /// The kind of fault.
  package var code: Code
  /// What is wrong and where, for display.
  package var description: String

  /// Creates an error.
  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// Creates the error of a file that cannot be opened.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - error: The error of SQLite, or of the system.
  init(opening path: String, _ error: any Error) {
    switch error {
    case let error as DatabaseError
    where [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode):
      self.init(.otherFile, "\(path): it is not a database, or it is damaged")
    case let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN:
      self.init(.unreadable, "\(path): it cannot be opened")
    case let error as DatabaseError
    where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode):
      self.init(.busy, "\(path): another program has locked it; try again")
    case let error as DatabaseError:
      self.init(.unusable, "\(path): \(error.message ?? "it cannot be opened")")
    default: self.init(.notMade, "\(path): it cannot be created")
    }
  }
}
