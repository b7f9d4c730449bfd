/// The limits of a backup.
package enum BackupLimits {
  /// The most files in a backup.
  package static let files = 100_000
  /// The longest name of a file in a backup, in bytes of UTF-8.
  package static let nameBytes = 1_024
  /// The longest list of checksums, in bytes.
  package static let listBytes = 128 * 1_024 * 1_024
}
