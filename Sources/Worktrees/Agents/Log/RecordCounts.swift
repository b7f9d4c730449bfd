/// How many records of a session's log were read, and how many were not.
package struct RecordCounts: Hashable, Sendable {
  /// Records that were understood, used or not.
  package var known = 0
  /// Records of kinds that are not known; they are ignored.
  package var unknown = 0
  /// Lines that are not a JSON object.
  package var invalid = 0
  /// Lines longer than what is read.
  package var oversized = 0
  /// How often the file began again.
  package var restarts = 0
  /// Bytes at the beginning of a long file that were not read.
  package var skippedBytes: Int64 = 0

  /// No records.
  package init() {}
}
