/// A file of a backup, and what it is made of.
package struct BackupItem: Sendable {
  /// Where the contents come from.
  package enum Source: Sendable {
    /// A file that does not change while it is copied, or only by being replaced.
    ///
    /// An optional one is left out if it no longer exists.
    case file(String, isOptional: Bool)
    /// An SQLite file, which may be written meanwhile.
    case database(String)
    /// The bytes themselves.
    case bytes([UInt8])
  }

  /// Its path in the part of the backup.
  package let name: String
  /// Where its contents come from.
  package let source: Source

  /// Creates an item.
  package init(_ name: String, _ source: Source) {
    self.name = name
    self.source = source
  }

  /// Whether a name stays in the folder that it is put into: no empty, `.` or `..` component, no leading slash, no control character.
  package static func isSafe(_ name: String) -> Bool {
    guard !name.isEmpty, name.utf8.count <= BackupLimits.nameBytes,
      name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") })
    else { return false }
    return name.split(separator: "/", omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
  }
}
