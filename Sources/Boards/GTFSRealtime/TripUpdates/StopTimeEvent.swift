/// A predicted or measured arrival or departure (`StopTimeEvent`).
///
/// If both time and delay are given, the time decides.
package struct StopTimeEvent: Hashable, Sendable {
  /// When, in seconds since 1970-01-01T00:00:00Z.
  package var time: Int64?
  /// Seconds after the timetable, negative before it.
  package var delay: Int32?
  /// The expected error in seconds; 0 is certain, `nil` unknown.
  package var uncertainty: Int32?

  /// Creates an event.
  @inlinable package init(time: Int64? = nil, delay: Int32? = nil, uncertainty: Int32? = nil) {
    self.time = time
    self.delay = delay
    self.uncertainty = uncertainty
  }
}
