/// A span of time of an alert (`TimeRange`): active from ``start`` on and before ``end``.
package struct ActivePeriod: Hashable, Sendable {
  /// The first second, since 1970-01-01T00:00:00Z; `nil` (or 0 in the feed) if it has always been.
  package var start: UInt64?
  /// The first second after it; `nil` (or 0 in the feed) if it does not end.
  package var end: UInt64?

  /// Creates a period.
  package init(start: UInt64? = nil, end: UInt64? = nil) {
    self.start = start == 0 ? nil : start
    self.end = end == 0 ? nil : end
  }

  /// Whether an instant, in seconds since 1970-01-01T00:00:00Z, is in the period.
  package func contains(_ instant: UInt64) -> Bool {
    if let start, instant < start { return false }
    if let end, instant >= end { return false }
    return true
  }
}
