/// Why a backup cannot be made or restored.
package struct BackupFailure: Error, CustomStringConvertible, Sendable {
  /// The kind of failure.
  package enum Code: Sendable {
    /// A file to back up, or the backup itself, is missing or cannot be read.
    case unreadable
    /// The destination cannot be created or written.
    case unwritable
    /// The backup is incomplete, damaged, or of a format that this program does not read.
    case damaged
    /// A database is locked by another program.
    case busy
  }

  /// The kind of failure.
  package let code: Code
  /// What is wrong, where, and what to do.
  package let description: String

  /// Creates a failure.
  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
