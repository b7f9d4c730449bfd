/// Why a library or a catalogue cannot be used.
package struct LibraryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of fault.
  package enum Code: String, Hashable, Sendable {
    /// The file belongs to another program or to a newer version of this one.
    case otherFile = "library_other_file"
    /// The file cannot be opened or written.
    case unusable = "library_unusable"
    /// A dump file cannot be read.
    case unreadableDump = "dump_unreadable"
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
}
