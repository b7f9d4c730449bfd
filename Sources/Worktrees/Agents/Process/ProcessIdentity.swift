/// Identifies one process, also against a later one with the same number.
package struct ProcessIdentity: Hashable, Comparable, Sendable {
  /// The process's number.
  package var number: Int32
  /// When it started, in clock ticks since the machine did: field 22 of `/proc/<pid>/stat`.
  package var start: UInt64

  /// A process.
  package init(number: Int32, start: UInt64) {
    self.number = number
    self.start = start
  }

  /// Whether one process started before another.
  package static func < (one: ProcessIdentity, other: ProcessIdentity) -> Bool {
    (one.start, one.number) < (other.start, other.number)
  }
}
